// Differences between a draft and the deployed revision, one line per part.

import type { Configuration } from "../../api/queries/versions";

/** A changed part of a configuration. */
export interface Change {
  part: keyof Configuration;
  /** For lists: number of members added, removed or changed. */
  members?: number;
}

const PARTS: readonly (keyof Configuration)[] = [
  "operations",
  "soap",
  "upstream",
  "sandbox_upstream",
  "security",
  "key_header",
  "limits",
  "identity",
  "body_bytes_max",
  "encoded_slash",
  "semicolon",
  "paths",
  "method_override",
];

export function changesOf(deployed: Configuration, draft: Configuration): Change[] {
  const changes: Change[] = [];
  for (const part of PARTS) {
    const [before, now] = [deployed[part], draft[part]];
    if (canonical(before) === canonical(now)) continue;
    if (part === "operations") {
      const members = different(deployed.operations ?? [], draft.operations ?? []);
      changes.push({ part, members });
    } else changes.push({ part });
  }
  return changes;
}

type Operations = NonNullable<Configuration["operations"]>;

function different(before: Operations, now: Operations): number {
  const nameOf = ({ method, path }: Operations[number]) => `${method} ${path}`;
  const old = new Map(before.map((operation) => [nameOf(operation), canonical(operation)]));
  let members = 0;
  for (const operation of now) {
    const name = nameOf(operation);
    if (old.get(name) !== canonical(operation)) members += 1;
    old.delete(name);
  }
  return members + old.size;
}

/** Serializes to JSON with sorted names and without nulls: equal meaning gives equal text. */
function canonical(value: unknown): string {
  return JSON.stringify({ value }, (_, member: unknown) => {
    if (member === null) return undefined;
    if (typeof member !== "object" || Array.isArray(member)) return member;
    const sorted = Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted);
  });
}
