// The fields of the policies page, and their mapping to a draft.

import type { components } from "../../api/schema";
import type { Configuration, DraftPatch } from "../../api/queries/versions";
import { type CorsFields, readCors, writeCors } from "./cors_fields";
import { PLACES, type Place } from "./policies";
import { KEY, type StepFields, readStep, writeStep } from "./step_fields";

export type Policies = components["schemas"]["Policies"];
export type OperationPolicies = components["schemas"]["OperationPolicies"];
type Combine = NonNullable<OperationPolicies["mode"]>;

export type Lists = Readonly<Record<Place, readonly StepFields[]>>;

/** Steps of some operations. */
export interface OverrideFields {
  [KEY]: number;
  operations: readonly string[];
  mode: Combine;
  lists: Lists;
  /** The operations' cache, as the API has it: another page sets it. */
  cache: NonNullable<OperationPolicies["cache"]> | null;
}

export interface PolicyFields {
  lists: Lists;
  overrides: readonly OverrideFields[];
  /** Steps of operations that the version no longer has, as the API has them. */
  aside: readonly OperationPolicies[];
  cors: CorsFields | null;
}

export const NO_STEPS: Lists = { request: [], response: [], error: [] };

let lastKey = 0;

/** Returns the fields of an override without steps. */
export function newOverride(operations: readonly string[]): OverrideFields {
  lastKey += 1;
  return { [KEY]: lastKey, operations, mode: "append", lists: NO_STEPS, cache: null };
}

function readLists(from: Partial<Record<Place, components["schemas"]["Step"][]>>): Lists {
  const [request = [], response = [], error = []] = PLACES.map((place) =>
    (from[place] ?? []).map(readStep),
  );
  return { request, response, error };
}

function readOverride(it: Pick<OperationPolicies, "operations"> & Partial<OperationPolicies>) {
  return {
    ...newOverride(it.operations),
    mode: it.mode ?? "append",
    lists: readLists(it),
    cache: it.cache ?? null,
  };
}

export function readPolicies(draft: Configuration): PolicyFields {
  const policies: Partial<Policies> = draft.policies ?? {};
  return {
    lists: readLists(policies),
    overrides: (policies.operations ?? []).map(readOverride),
    aside: policies.aside ?? [],
    cors: policies.cors ? readCors(policies.cors) : null,
  };
}

function writeLists(lists: Lists, pointer: string) {
  const [request = [], response = [], error = []] = PLACES.map((place) =>
    lists[place].map((step, index) => writeStep(step, `${pointer}/${place}/${index}`)),
  );
  return { request, response, error };
}

/**
 * Returns all policies but the cache of the version in the API's form; throws a problem for what
 * JSON cannot represent.
 */
export function writePolicies(fields: PolicyFields): Omit<Policies, "cache"> {
  const { lists, overrides, aside, cors } = fields;
  return {
    ...writeLists(lists, "/policies"),
    operations: overrides.map((it, index) => ({
      operations: [...it.operations],
      mode: it.mode,
      ...writeLists(it.lists, `/policies/operations/${index}`),
      ...(it.cache && { cache: it.cache }),
    })),
    aside: [...aside],
    cors: cors && writeCors(cors),
  };
}

export const writeDraft = (fields: PolicyFields): DraftPatch => ({
  policies: writePolicies(fields),
});
