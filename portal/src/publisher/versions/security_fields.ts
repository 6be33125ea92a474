// The fields of the security form, and what they mean in a draft.

import type { Configuration, DraftPatch, Granted } from "../../api/queries/versions";

export interface ScopeFields {
  name: string;
  /** What it allows. */
  text: string;
  /** Who gives it. */
  granted: Granted;
}

export const NEW_SCOPE: ScopeFields = { name: "", text: "", granted: "freely" };

export interface SecurityFields {
  /** The schemes that are taken. */
  schemes: Scheme[];
  require: "any" | "all";
  header: string;
  /** The parameter of the query; empty where no key is taken from queries. */
  query: string;
  scopes: ScopeFields[];
}

export type Scheme = "api_key" | "oauth2" | "basic";

/** In which keys come where nothing else is said. */
const KEY_HEADER = "apikey";

export function readSecurity({ security, key_header }: Configuration): SecurityFields {
  const schemes: Scheme[] = [];
  if (!security || security.api_key) schemes.push("api_key");
  if (security?.oauth2) schemes.push("oauth2");
  if (security?.basic) schemes.push("basic");
  return {
    schemes,
    require: security?.require ?? "any",
    header: security?.api_key?.header ?? (security ? KEY_HEADER : (key_header ?? KEY_HEADER)),
    query: security?.api_key?.query ?? "",
    scopes: Object.entries(security?.scopes ?? {}).map(([name, { text, granted }]) => ({
      name,
      text: text ?? "",
      granted: granted ?? "freely",
    })),
  };
}

/** As a merge patch: what is absent from it would stay, so that each member is named. */
export function writeSecurity(fields: SecurityFields, draft: Configuration): DraftPatch {
  const { schemes, require, header, query } = fields;
  const gone = Object.keys(draft.security?.scopes ?? {}).map((name) => [name, null] as const);
  const kept = fields.scopes.map(({ name, ...scope }) => [name, scope] as const);
  return {
    security: {
      api_key: schemes.includes("api_key") ? { header, query: query === "" ? null : query } : null,
      oauth2: schemes.includes("oauth2") ? {} : null,
      basic: schemes.includes("basic") ? {} : null,
      require,
      scopes: Object.fromEntries([...gone, ...kept]),
    },
    key_header: null,
  };
}

/** The scopes that count only where they were granted. */
export function scopesByApproval({ security }: Pick<Configuration, "security">): string[] {
  const scopes = Object.entries(security?.scopes ?? {});
  return scopes.filter(([, { granted }]) => granted === "by_approval").map(([name]) => name);
}

/** The operations that may be called without any credential, as people name them. */
export function openOperations({ operations, soap }: Configuration): string[] {
  const rest = operations?.filter((operation) => operation.anonymous) ?? [];
  const named = soap?.operations?.filter((operation) => operation.anonymous) ?? [];
  return [...rest.map(({ method, path }) => `${method} ${path}`), ...named.map(({ name }) => name)];
}
