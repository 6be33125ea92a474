// Changes between two contents of a version, as the pages show them: by group, with the name of the
// changed member and its values as text.

import type { Change, ChangeGroup } from "../../api/queries/revisions";
import { prettyJson } from "../../reference/pretty";

/** The groups in the order of the page. */
export const GROUPS: readonly ChangeGroup[] = [
  "operations",
  "upstream",
  "security",
  "limits",
  "policies",
  "cors",
  "cache",
  "document",
  "contract",
  "other",
];

/** Members with digests as values, which name documents. */
const DIGESTS = ["/document", "/soap/contract"];

/** Returns the changes of each group that has any. */
export function groupsOf(changes: readonly Change[]): ReadonlyMap<ChangeGroup, readonly Change[]> {
  const groups = GROUPS.map(
    (group) => [group, changes.filter((it) => it.group === group)] as const,
  );
  return new Map(groups.filter(([, found]) => found.length > 0));
}

/** Returns whether the values of a change are digests, which no reader understands. */
export function isDigest({ pointer }: Change): boolean {
  return DIGESTS.includes(pointer);
}

/** The place of an operation or a resource in the configuration. */
const OPERATION = /^\/(operations|soap\/operations|soap\/rest\/resources)\/\d+/;

/** Returns the path of the changed member, such as `upstream.url`; within its operation, if any. */
export function memberOf({ pointer, operation }: Change): string {
  const inside = operation === undefined ? pointer : pointer.replace(OPERATION, "");
  const names = inside.split("/").slice(1);
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
}

const SECRET = "***";

/** Returns whether a change is that of a secret, which is never shown. */
export function isSecret({ before, after }: Change): boolean {
  return (before as unknown) === SECRET || (after as unknown) === SECRET;
}

/** Longer values are shown in a frame of their own. */
const INLINE_MAX = 60;

export interface ShownValue {
  text: string;
  isInline: boolean;
}

/** Returns a value as text: strings as they are, others as JSON. */
export function shownValue(value: unknown): ShownValue {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= INLINE_MAX && !text.includes("\n")) return { text, isInline: true };
  // The API sends the beginning of a large value as text.
  const isJson = typeof value !== "string" || /^[[{]/.test(value);
  return { text: isJson ? prettyJson(text) : text, isInline: false };
}
