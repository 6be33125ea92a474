import { type ApiKey, apiKeys } from "../../api/queries/credentials";
import { text } from "../../text/text";
import type { Kind } from "./kind";
import { endOf } from "./state";

const words = text.developer.credentials.apiKey;

export const apiKeyKind: Kind<ApiKey, null> = {
  words,
  list: apiKeys.list,
  rotate: apiKeys.rotate,
  revoke: apiKeys.revoke,
  impactOfRevocation: apiKeys.impactOfRevocation,
  create: (application, terms) => apiKeys.create(application, terms),
  change: (id, patch) => apiKeys.change(id, patch),
  shownAs: ({ hint }) => text.developer.credentials.endsWith(hint),
  copies: false,
  secrets: ({ key }) => (key ? [{ label: words.secret, value: key }] : []),
  // A rotated key is replaced by a new one and expires.
  oldEnd: (key) => key.revoked_at ?? endOf(key),
  canRotate: () => true,
  newExtra: null,
  extraOf: () => null,
};
