// Groups the operations of an API for its list: by tag, in the document's order of tags, then
// those without a tag, then webhooks.

import { text } from "../text/text";
import type { Docs } from "./document/about";
import type { Contents, OperationHead } from "./document/operations";
import { titleOf } from "./document/title";

export interface Group {
  /** Unique among the groups. */
  key: string;
  /** Empty if there is nothing to group by. */
  title: string;
  /** One line of plain text. */
  description: string | undefined;
  docs?: Docs | undefined;
  operations: readonly OperationHead[];
}

export type Row =
  | { kind: "group"; key: string; group: Group; isOpen: boolean }
  | { kind: "operation"; key: string; head: OperationHead; at: number; size: number };

export function groupsOf({ operations, tags, tagTexts = [] }: Contents): Group[] {
  const own = operations.filter(({ isWebhook }) => isWebhook !== true);
  const byTag = new Map<string, OperationHead[]>();
  for (const { name } of tagTexts) byTag.set(name, []);
  for (const name of tags) byTag.set(name, []);
  for (const head of own) {
    for (const tag of new Set(head.tags)) byTag.get(tag)?.push(head);
  }
  const tagged = [...byTag].map(([name, heads]): Group => {
    const tag = tagTexts.find((it) => it.name === name);
    const about = { description: titleOf(tag?.description), docs: tag?.docs };
    return { key: `tag ${name}`, title: titleOf(name) ?? name, ...about, operations: heads };
  });
  const rest = (key: string, title: string, heads: OperationHead[]): Group => ({
    key,
    title,
    description: undefined,
    operations: heads,
  });
  const words = text.reference;
  const all = [
    ...tagged,
    rest(
      "untagged",
      words.untagged,
      own.filter(({ tags: none }) => none.length === 0),
    ),
    rest(
      "webhooks",
      words.webhooks,
      operations.filter(({ isWebhook }) => isWebhook === true),
    ),
  ].filter((group) => group.operations.length > 0);
  const [only] = all;
  const isAlone = all.length === 1 && only?.key === "untagged";
  return isAlone ? [{ ...only, title: "" }] : all;
}

/** Filters groups and operations by all words of a search, in title, path, method or id. */
export function filterGroups(groups: readonly Group[], search: string): Group[] {
  const parts = search.toLowerCase().split(/\s+/);
  return groups.flatMap((group) => {
    const operations = group.operations.filter(({ title, method, path, id = "" }) => {
      const all = `${method} ${path} ${title} ${id}`.toLowerCase();
      return parts.every((part) => all.includes(part));
    });
    return operations.length === 0 ? [] : [{ ...group, operations }];
  });
}

/** Returns the rows shown when these groups are open. */
export function rowsOf(groups: readonly Group[], isOpen: (group: Group) => boolean): Row[] {
  return groups.flatMap((group): Row[] => {
    const isShown = group.title === "" || isOpen(group);
    const size = group.operations.length;
    const rows = isShown
      ? group.operations.map((head, at): Row => {
          return { kind: "operation", key: `${group.key} ${head.slug}`, head, at, size };
        })
      : [];
    if (group.title === "") return rows;
    return [{ kind: "group", key: group.key, group, isOpen: isShown }, ...rows];
  });
}
