// The differences between the kinds of credentials; everything else is shared.

import type { ComponentType } from "react";
import type { Credential, CredentialPatch, Credentials } from "../../api/queries/credentials";
import type { CredentialWords } from "../../text/en/credentials";
import type { newCredential } from "./terms";

export interface FieldsProps<Extra> {
  value: Extra;
  onChange: (value: Extra) => void;
  isNew: boolean;
}

/** A kind of credential; `Extra` is the state of its own fields, besides the shared terms. */
export interface Kind<C extends Credential, Extra> {
  words: CredentialWords;
  list: Credentials<C, never>["list"];
  rotate: Credentials<C, never>["rotate"];
  revoke: Credentials<C, never>["revoke"];
  impactOfRevocation: Credentials<C, never>["impactOfRevocation"];
  create: (
    application: string,
    terms: ReturnType<typeof newCredential>,
    extra: Extra,
  ) => Promise<C>;
  change: (id: string, patch: CredentialPatch, extra: Extra) => Promise<void>;
  /** The identifier in calls, shown below the name. */
  shownAs: (credential: C) => string;
  /** Whether the identifier can be copied: the last characters of a key are of no use. */
  copies: boolean;
  /** The secrets in the response to its creation. */
  secrets: (credential: C) => readonly { label: string; value: string }[];
  /** After a rotation: when the old secret expires. */
  oldEnd: (credential: C) => string | null | undefined;
  canRotate: (credential: C) => boolean;
  /** Invalidates its access tokens, if the kind has any. */
  voidTokens?: (id: string) => Promise<void>;
  /** Like `voidTokens`, for all credentials of an application. */
  voidAllTokens?: (application: string) => Promise<void>;
  newExtra: Extra;
  extraOf: (credential: C) => Extra;
  Fields?: ComponentType<FieldsProps<Extra>>;
}

/** The dialog that is open above the list. */
export type Open<C> =
  | { what: "make" | "void-all" }
  | { what: "made"; made: C }
  | { what: "rotate" | "change" | "revoke" | "void"; credential: C }
  | { what: "rotated"; old: C; made: C };
