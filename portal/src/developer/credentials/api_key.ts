import { type ApiKey, apiKeys } from "../../api/queries/credentials";
import { text } from "../../text/text";
import type { Kind } from "./kind";

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
  // A rotated key has a successor, and ends itself.
  oldEnd: ({ expires_at, revoked_at }) => revoked_at ?? expires_at,
  canRotate: () => true,
  newExtra: null,
  extraOf: () => null,
};
