// Fields of the dialog that changes one operation or many, and the change that they describe.

import type { Configuration } from "../../api/queries/versions";
import { limitsInWords } from "../../text/limit";
import { text } from "../../text/text";
import { type LimitFields, readLimit, writeLimit } from "../../ui/limit_fields";
import { type Access, type OperationRow, operationRows } from "./operation_rows";

const words = text.publisher.version.operations;

/** How a change treats a list of many operations. */
export type Mode = "keep" | "set" | "remove";

export interface OperationFields {
  limits: { mode: Mode; list: LimitFields[] };
  scopes: { mode: Mode; list: string[] };
  credential: "keep" | "needed" | "anonymous";
  /** Only of calls outside the contract. */
  refused?: boolean;
}

/** Returns the values of a single operation; for many, fields that change nothing. */
export function readOperations(operations: readonly OperationRow[]): OperationFields {
  const [first] = operations;
  if (first === undefined || operations.length > 1) {
    return {
      limits: { mode: "keep", list: [] },
      scopes: { mode: "keep", list: [] },
      credential: "keep",
    };
  }
  return {
    limits: { mode: "set", list: first.limits.map((limit) => readLimit(limit, "operation")) },
    scopes: { mode: "set", list: [...first.scopes] },
    ...(first.refused === undefined
      ? { credential: first.anonymous ? "anonymous" : "needed" }
      : { credential: "keep", refused: first.refused }),
  };
}

/** Returns the members that the fields change. */
export function changeOf(fields: OperationFields): Partial<Access> {
  const { limits, scopes, credential, refused } = fields;
  const change: Partial<Access> = {};
  if (limits.mode !== "keep") {
    const list = limits.mode === "set" ? limits.list : [];
    change.limits = list.map((limit) => writeLimit(limit, "operation"));
  }
  if (scopes.mode !== "keep") change.scopes = scopes.mode === "set" ? scopes.list : [];
  if (credential !== "keep") change.anonymous = credential === "anonymous";
  if (refused !== undefined) change.refused = refused;
  return change;
}

/** Values in words, by operation and member. */
export type InWords = Record<string, string>;

function inWords(key: string, { limits, scopes, anonymous, refused }: Partial<Access>): InWords {
  const values: InWords = {};
  if (limits) values[words.conflictLimits(key)] = limitsInWords(limits, "operation");
  if (scopes) values[words.conflictScopes(key)] = scopes.join(" ");
  if (anonymous !== undefined) {
    values[words.conflictCredential(key)] = anonymous ? words.notNeeded : words.needed;
  }
  if (refused !== undefined) {
    values[words.conflictHandling(key)] = words.outside[refused ? "refused" : "forwarded"];
  }
  return values;
}

/** Returns the values that a change gives to these operations. */
export function wantedInWords(keys: ReadonlySet<string>, change: Partial<Access>): InWords {
  return Object.assign({}, ...[...keys].map((key) => inWords(key, change))) as InWords;
}

/** Returns the values in a draft of what a change would set. */
export function presentInWords(
  draft: Configuration,
  keys: ReadonlySet<string>,
  change: Partial<Access>,
): InWords {
  const rows = operationRows(draft).filter(({ key }) => keys.has(key));
  const present = rows.map((row) => {
    const members = Object.keys(change) as (keyof Access)[];
    return inWords(row.key, Object.fromEntries(members.map((member) => [member, row[member]])));
  });
  return Object.assign({}, ...present) as InWords;
}

/** A pointer to a member of any operation, or of calls outside the contract. */
const MEMBER =
  /^(?:(?:\/soap)?\/operations\/\d+|\/soap\/unknown)(?=\/(?:limits|scopes|anonymous)(?:\/|$))/;

/** Returns the pointer of a fault within the dialog; empty for a fault elsewhere in the draft. */
export function pointerInDialog(field: string): string {
  return MEMBER.test(field) ? field.replace(MEMBER, "") : "";
}
