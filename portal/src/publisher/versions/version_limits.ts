// Fields of the limits of a version, of its operations and of its upstreams, and the change of the
// draft that they describe.

import type { Configuration, DraftPatch } from "../../api/queries/versions";
import type { Limit, Owner } from "../../text/limit";
import { type LimitFields, readLimit, writeLimits } from "../../ui/limit_fields";
import {
  type Access,
  type OperationRow,
  changeEach,
  operationPointers,
  operationRows,
} from "./operation_rows";

export interface OperationLimits {
  /** The operation's key among the rows of operations. */
  key: string;
  /** Units that a call costs; absent for calls outside the contract. */
  weight?: string;
  limits: LimitFields[];
}

export interface VersionLimits {
  limits: LimitFields[];
  /** Operations that have limits or cost more than one unit, and those added to them. */
  operations: OperationLimits[];
  /** Absent without an upstream. */
  production?: LimitFields[];
  sandbox?: LimitFields[];
}

function readList(limits: readonly Limit[] | undefined, owner: Owner): LimitFields[] {
  return (limits ?? []).map((limit) => readLimit(limit, owner));
}

export function readOperation({ key, weight, limits }: OperationRow): OperationLimits {
  const own = { key, limits: readList(limits, "operation") };
  return weight === undefined ? own : { ...own, weight: String(weight) };
}

export function readVersionLimits(draft: Configuration): VersionLimits {
  const { limits, upstream, sandbox_upstream: sandbox } = draft;
  const isListed = (row: OperationRow) => row.limits.length > 0 || (row.weight ?? 1) !== 1;
  return {
    limits: readList(limits, "version"),
    operations: operationRows(draft).filter(isListed).map(readOperation),
    ...(upstream ? { production: readList(upstream.limits, "upstream") } : {}),
    ...(sandbox ? { sandbox: readList(sandbox.limits, "upstream") } : {}),
  };
}

/**
 * Returns a merge patch: all operations if one of them changes. Throws a problem for limits that
 * cannot be sent.
 */
export function writeVersionLimits(fields: VersionLimits, draft: Configuration): DraftPatch {
  const { limits, operations, production, sandbox } = fields;
  // Limits of upstreams have no conditions, so they can always be sent.
  const upstream = (list: LimitFields[]) => ({ limits: writeLimits(list, "upstream", "") });
  return {
    limits: writeLimits(limits, "version", "/limits"),
    ...writeOperations(operations, draft),
    ...(production && draft.upstream ? { upstream: upstream(production) } : {}),
    ...(sandbox && draft.sandbox_upstream ? { sandbox_upstream: upstream(sandbox) } : {}),
  };
}

function writeOperations(operations: readonly OperationLimits[], draft: Configuration) {
  if (operations.length === 0) return {};
  const pointers = operationPointers(draft);
  const changes = new Map(
    operations.map((it) => [it.key, changeOf(it, pointers.get(it.key) ?? "")]),
  );
  return changeEach(draft, (key) => changes.get(key));
}

function changeOf({ weight, limits }: OperationLimits, pointer: string): Partial<Access> {
  const change = { limits: writeLimits(limits, "operation", `${pointer}/limits`) };
  return weight === undefined ? change : { ...change, weight: Number(weight) };
}
