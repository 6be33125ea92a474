// What differs between the kinds of credentials; all else of them is shared.

import type { ComponentType } from "react";
import type { Credential, CredentialPatch, Credentials } from "../../api/queries/credentials";
import type { CredentialWords } from "../../text/en/credentials";
import type { wanted } from "./terms";

export interface FieldsProps<Extra> {
  value: Extra;
  onChange: (value: Extra) => void;
  isNew: boolean;
}

/** A kind of credential; `Extra` is what its fields hold beside the terms of all. */
export interface Kind<C extends Credential, Extra> {
  words: CredentialWords;
  list: Credentials<C, never>["list"];
  rotate: Credentials<C, never>["rotate"];
  revoke: Credentials<C, never>["revoke"];
  impactOfRevocation: Credentials<C, never>["impactOfRevocation"];
  create: (application: string, terms: ReturnType<typeof wanted>, extra: Extra) => Promise<C>;
  change: (id: string, patch: CredentialPatch, extra: Extra) => Promise<void>;
  /** How it is known in calls, below its name. */
  shownAs: (credential: C) => string;
  /** Whether that is worth copying: the end of a key is not. */
  copies: boolean;
  /** What the answer that made it shows. */
  secrets: (credential: C) => readonly { label: string; value: string }[];
  /** Once it was rotated: when what was before ends. */
  oldEnd: (credential: C) => string | null | undefined;
  canRotate: (credential: C) => boolean;
  /** Ends the tokens that it has got, where it gets any. */
  voidTokens?: (id: string) => Promise<void>;
  /** Like that, of all credentials of an application. */
  voidAllTokens?: (application: string) => Promise<void>;
  newExtra: Extra;
  extraOf: (credential: C) => Extra;
  Fields?: ComponentType<FieldsProps<Extra>>;
}

/** What is open above the list. */
export type Open<C> =
  | { what: "make" | "void-all" }
  | { what: "made"; made: C }
  | { what: "rotate" | "change" | "revoke" | "void"; credential: C }
  | { what: "rotated"; old: C; made: C };
