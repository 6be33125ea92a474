// What a deployment changes about who may call: what is served beside what will be, in words.

import type { Configuration } from "../../api/queries/versions";
import { text } from "../../text/text";
import { readSecurity } from "./security_fields";

const words = text.publisher.version.security;
const differs = text.publisher.version.deploy.security;

export interface SecurityChange {
  what: string;
  served: string;
  draft: string;
}

/** Credentials, scopes and the access to each operation, as far as they differ. */
export function securityChanges(served: Configuration, draft: Configuration): SecurityChange[] {
  const rows: SecurityChange[] = [
    { what: differs.schemes, served: schemesOf(served), draft: schemesOf(draft) },
    { what: words.scopes, served: scopesOf(served), draft: scopesOf(draft) },
  ];
  const [before, now] = [accessOf(served), accessOf(draft)];
  for (const [what, access] of now) {
    // A new operation is a change of operations.
    rows.push({ what, served: before.get(what) ?? access, draft: access });
  }
  return rows.filter((row) => row.served !== row.draft);
}

function schemesOf(configuration: Configuration): string {
  const { schemes, require, header, query } = readSecurity(configuration);
  const named = schemes.map((scheme) => {
    const { label } = words.scheme[scheme];
    return scheme === "api_key" ? differs.key(label, header, query) : label;
  });
  return named.join(require === "all" ? differs.and : differs.or);
}

function scopesOf(configuration: Configuration): string {
  const { scopes } = readSecurity(configuration);
  const named = scopes.map(({ name, granted }) =>
    text.publisher.import.security.scope(name, granted),
  );
  return named.toSorted().join(", ") || text.ui.none;
}

/** What each operation asks for, by its name. */
function accessOf({ operations, soap }: Configuration): ReadonlyMap<string, string> {
  const rest = operations?.map((it) => [`${it.method} ${it.path}`, it] as const) ?? [];
  const named = soap?.operations?.map((it) => [it.name, it] as const) ?? [];
  return new Map(
    [...rest, ...named].map(([name, { anonymous, scopes = [] }]) => {
      if (anonymous) return [name, differs.anonymous];
      return [name, scopes.length > 0 ? differs.needs(scopes.toSorted().join(", ")) : differs.any];
    }),
  );
}
