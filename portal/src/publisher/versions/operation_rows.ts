// The operations of a draft as rows of a table: those of a REST API, or those of a SOAP service and
// the calls outside its contract.

import type { Configuration, DraftPatch } from "../../api/queries/versions";
import type { Limit } from "../../text/limit";
import { text } from "../../text/text";
import type { OperationsSearch } from "./operations_search";

/** Who may call an operation, and how often. */
export interface Access {
  limits: readonly Limit[];
  /** Units that a call costs; absent for calls outside the contract. */
  weight?: number;
  scopes: readonly string[];
  /** Whether calls need no credential. */
  anonymous: boolean;
  /** Whether calls outside the contract are refused; absent for operations. */
  refused?: boolean;
}

export interface OperationRow extends Access {
  /** Unique within the version: method and path, the name in the contract, or `OUTSIDE`. */
  key: string;
  /** Absent for operations of a SOAP service. */
  method?: string;
  name: string;
  /** For a service as REST, its resources. */
  summary: string;
}

const words = text.publisher.version.operations.outside;
/** The key of calls outside the contract; with spaces, unlike the name of an operation. */
const OUTSIDE = words.key;

type Operation = NonNullable<Configuration["operations"]>[number];
type SoapService = NonNullable<Configuration["soap"]>;
type SoapOperation = NonNullable<SoapService["operations"]>[number];
type UnknownOperations = NonNullable<SoapService["unknown"]>;

const keyOf = ({ method, path }: Operation): string => `${method} ${path}`;

function accessOf({ limits = [], scopes = [], anonymous = false }: Partial<Operation>): Access {
  return { limits, scopes, anonymous };
}

export function operationRows({ operations = [], soap }: Configuration): OperationRow[] {
  if (!soap) {
    return operations.map((operation) => ({
      key: keyOf(operation),
      method: operation.method,
      name: operation.path,
      summary: operation.summary ?? "",
      weight: operation.weight ?? 1,
      ...accessOf(operation),
    }));
  }
  const resources = new Map<string, string[]>();
  for (const { operation, method, path } of soap.rest?.resources ?? []) {
    resources.set(operation, [...(resources.get(operation) ?? []), `${method} ${path}`]);
  }
  const rows = (soap.operations ?? []).map((operation) => ({
    key: operation.name,
    name: operation.name,
    summary: resources.get(operation.name)?.join(", ") ?? "",
    weight: operation.weight ?? 1,
    ...accessOf(operation),
  }));
  // A service as REST has no calls outside its resources.
  return soap.rest ? rows : [...rows, outsideOf(soap.unknown)];
}

function outsideOf(unknown: Partial<UnknownOperations> = {}): OperationRow {
  const { refused = false } = unknown;
  const summary = refused ? words.refused : words.forwarded;
  return { key: OUTSIDE, name: words.name, summary, ...accessOf(unknown), refused };
}

/** Returns the rows that contain each word of the search in method, path or summary. */
export function findOperations(
  rows: readonly OperationRow[],
  { q = "", show }: OperationsSearch,
): OperationRow[] {
  const words = q.toLowerCase().split(/\s+/);
  return rows.filter((row) => {
    const seen = `${row.key} ${row.summary}`.toLowerCase();
    return isShown(row, show) && words.every((word) => seen.includes(word));
  });
}

function isShown(row: OperationRow, show: OperationsSearch["show"]): boolean {
  switch (show) {
    case "limits":
      return row.limits.length > 0;
    case "scopes":
      return row.scopes.length > 0;
    case "unscoped":
      return row.scopes.length === 0;
    case "anonymous":
      return row.anonymous;
    case undefined:
      return true;
  }
}

/** Returns a merge patch that changes the operations with these keys; it has the whole list. */
export function changeOperations(
  draft: Configuration,
  keys: ReadonlySet<string>,
  change: Partial<Access>,
): DraftPatch {
  return changeEach(draft, (key) => (keys.has(key) ? change : undefined));
}

/** Returns a merge patch that changes each operation in its own way; it has the whole list. */
export function changeEach(
  { operations = [], soap }: Configuration,
  changeOf: (key: string) => Partial<Access> | undefined,
): DraftPatch {
  const changed = <O extends Operation | SoapOperation>(operation: O, key: string) => ({
    ...operation,
    ...changeOf(key),
  });
  if (soap) {
    const list = soap.operations?.map((it) => changed(it, it.name));
    const unknown = changeOf(OUTSIDE);
    return { soap: { operations: list, ...(unknown ? { unknown } : {}) } };
  }
  return { operations: operations.map((it) => changed(it, keyOf(it))) };
}

/** Returns the JSON pointer of each operation in a draft, by its key. */
export function operationPointers({ operations = [], soap }: Configuration): Map<string, string> {
  if (!soap) return new Map(operations.map((it, at) => [keyOf(it), `/operations/${at}`]));
  const named = soap.operations ?? [];
  return new Map([
    ...named.map(({ name }, at) => [name, `/soap/operations/${at}`] as const),
    [OUTSIDE, "/soap/unknown"],
  ]);
}
