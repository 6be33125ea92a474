// Fields of the security form, and their mapping to a draft.

import type { Configuration, DraftPatch, Granted } from "../../api/queries/versions";

export interface ScopeFields {
  name: string;
  /** Description of the scope. */
  text: string;
  /** How the scope is granted. */
  granted: Granted;
}

export const NEW_SCOPE: ScopeFields = { name: "", text: "", granted: "freely" };

export interface SecurityFields {
  /** The accepted schemes. */
  schemes: Scheme[];
  require: "any" | "all";
  header: string;
  /** The query parameter; empty if keys in the query are not accepted. */
  query: string;
  scopes: ScopeFields[];
}

export type Scheme = "api_key" | "oauth2" | "basic";

/** The default header of keys. */
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

/** Returns a merge patch. It names every member, because omitted ones would be kept. */
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

/** Returns the scopes that take effect only once granted. */
export function scopesByApproval({ security }: Pick<Configuration, "security">): string[] {
  const scopes = Object.entries(security?.scopes ?? {});
  return scopes.filter(([, { granted }]) => granted === "by_approval").map(([name]) => name);
}

/** Returns the display names of operations that need no credential. */
export function openOperations({ operations, soap }: Configuration): string[] {
  const rest = operations?.filter((operation) => operation.anonymous) ?? [];
  const named = soap?.operations?.filter((operation) => operation.anonymous) ?? [];
  return [...rest.map(({ method, path }) => `${method} ${path}`), ...named.map(({ name }) => name)];
}
