// Which schemas an operation's page describes below its tables: those of bodies that have members.

import type { Operation } from "./document/operations";
import { follow } from "./document/pointer";
import { describe, membersOf, typeOf } from "./document/schema";

export interface ShownSchema {
  id: string;
  title: string;
  schema: unknown;
}

/** More are not described at once. */
const SCHEMAS_MAX = 20;

/** Two with the same name of the same place are one. */
function nameOf(document: unknown, schema: unknown): string {
  const { pointer } = follow(document, schema);
  return pointer ?? typeOf(document, schema);
}

export function schemasOf(document: unknown, operation: Operation): ShownSchema[] {
  const bodies = [operation.body, ...operation.answers].flatMap((it) => it?.bodies ?? []);
  const found = new Map<string, unknown>();
  for (const { schema } of bodies) {
    const name = nameOf(document, schema);
    if (found.has(name) || found.size >= SCHEMAS_MAX) continue;
    if (describe(document, schema).isOpenable) found.set(name, schema);
  }
  return [...found.values()].map((schema, at) => ({
    id: `schema-${at + 1}`,
    title: typeOf(document, schema),
    schema,
  }));
}

export function idOf(
  document: unknown,
  schema: unknown,
  schemas: readonly ShownSchema[],
): string | undefined {
  if (membersOf(document, schema, 1).length === 0) return undefined;
  const name = nameOf(document, schema);
  return schemas.find((it) => nameOf(document, it.schema) === name)?.id;
}
