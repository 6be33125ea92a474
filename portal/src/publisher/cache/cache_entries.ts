// The caches of a version and of its operations in the draft. The latter are members of the entries
// that also have the operations' steps; this page keeps those as they are.

import type { Configuration, DraftPatch } from "../../api/queries/versions";
import { operationNames } from "../policies/operation_names";
import type { OperationPolicies } from "../policies/policy_fields";
import { PLACES } from "../policies/policies";
import { type CacheFields, readCache, writeCache } from "./cache_fields";

/** Policies of some operations. An operation belongs to one entry at most. */
export interface Entry {
  /** All members but the cache, as the API has them. */
  rest: Omit<OperationPolicies, "cache">;
  cache: CacheFields | null;
}

export interface VersionCacheFields {
  cache: CacheFields | null;
  /** All entries, in the API's order, on which the pointers of faults depend. */
  entries: readonly Entry[];
}

function readEntry({ cache, ...rest }: OperationPolicies): Entry {
  return { rest, cache: cache ? readCache(cache) : null };
}

export function readCaches({ policies }: Configuration): VersionCacheFields {
  return {
    cache: policies?.cache ? readCache(policies.cache) : null,
    entries: (policies?.operations ?? []).map(readEntry),
  };
}

/** Returns the change of a draft; statuses that it no longer has are removed by null. */
export function writeCaches(
  { cache, entries }: VersionCacheFields,
  { policies }: Configuration,
): DraftPatch {
  const written = cache && writeCache(cache, "/policies/cache");
  const gone = Object.keys(policies?.cache?.negative_s ?? {}).map((status) => [status, null]);
  const negative = { ...Object.fromEntries(gone), ...written?.negative_s } as object;
  const operations = entries.map(({ rest, cache: own }, index) => ({
    ...rest,
    ...(own && { cache: writeCache(own, `/policies/operations/${index}/cache`) }),
  }));
  return { policies: { cache: written && { ...written, negative_s: negative }, operations } };
}

/** Only responses to GET are stored. */
export const isGet = (name: string): boolean => name.startsWith("GET ");

/**
 * Returns the operations with a cache in a draft. Without any, all GET operations: those of the
 * deployed revision may still have one.
 */
export function cachedOperations(draft: Configuration): string[] {
  const { cache, entries } = readCaches(draft);
  const gets = operationNames(draft).filter(isGet);
  const cached = gets.filter((name) => {
    const own = entries.find(({ rest }) => rest.operations.includes(name));
    const isOwn = own !== undefined && (own.cache !== null || own.rest.mode === "replace");
    return (isOwn ? own.cache : cache)?.isOn ?? false;
  });
  return cached.length > 0 ? cached : gets;
}

const isOf = (operations: readonly string[]) => (name: string) => operations.includes(name);

/** Gives operations a cache of their own. Entries with others, too, are split. */
export function withCache(
  entries: readonly Entry[],
  operations: readonly string[],
  cache: CacheFields,
): Entry[] {
  const chosen = isOf(operations);
  const added: Entry[] = [];
  const left = entries.flatMap((entry) => {
    const { rest } = entry;
    const own = rest.operations.filter(chosen);
    if (own.length === 0) return [entry];
    const others = rest.operations.filter((name) => !chosen(name));
    added.push({ rest: { ...rest, operations: own }, cache });
    return others.length === 0 ? [] : [{ ...entry, rest: { ...rest, operations: others } }];
  });
  const known = new Set(entries.flatMap(({ rest }) => rest.operations));
  const unknown = operations.filter((name) => !known.has(name));
  if (unknown.length > 0) added.push({ rest: { operations: unknown, mode: "append" }, cache });
  return [...left, ...added];
}

/** Removes the cache of an entry, and the entry if it has nothing else. */
export function withoutCache(entries: readonly Entry[], index: number): Entry[] {
  const entry = entries[index];
  if (entry === undefined) return [...entries];
  const { rest } = entry;
  const hasSteps = PLACES.some((place) => (rest[place] ?? []).length > 0);
  const isEmpty = !hasSteps && rest.mode !== "replace";
  return isEmpty ? entries.toSpliced(index, 1) : entries.with(index, { rest, cache: null });
}
