// The alternatives of a schema, one of which is selected: `oneOf`, `anyOf`, or those of a
// discriminator (OpenAPI 3.1, 4.8.25).

import { text } from "../../text/text";
import { entries, list, member, object, words } from "./narrow";
import { follow, nameOf } from "./pointer";
import { itemOf } from "./schema";

export interface Choice {
  name: string;
  schema: unknown;
}

export interface Choices {
  /** The property of the discriminator, if there is one. */
  property: string | undefined;
  choices: readonly Choice[];
}

/** Selected alternatives, by the paths of their schemas. */
export type Chosen = ReadonlyMap<string, Choice>;

/** Returns the path of a member. Items and parts of `allOf` have the path of the whole. */
export const memberPlace = (at: string, name: string) => `${at}/${name}`;

/** Returns the path of an alternative's own alternatives. */
export const choicePlace = (at: string, { name }: Choice) => `${at}#${name}`;

const CHOICES_MAX = 200;

/** Returns the alternatives that have members; for an array, those of its items. */
export function choicesOf(document: unknown, schema: unknown): Choices {
  const value = itemOf(document, schema);
  const discriminator = member(value, "discriminator");
  const property = words(member(discriminator, "propertyName"), 100);
  const mapping = entries(member(discriminator, "mapping")).flatMap(([name, it]) => {
    const pointer = pointerOf(it);
    return pointer === undefined ? [] : [{ name, pointer }];
  });
  const one = list(member(value, "oneOf"));
  const alternatives = (one.length > 0 ? one : list(member(value, "anyOf"))).slice(0, CHOICES_MAX);
  if (alternatives.length === 0) {
    const mapped = mapping.slice(0, CHOICES_MAX).map(({ name, pointer }) => ({
      name,
      schema: { $ref: pointer },
    }));
    return { property, choices: mapped };
  }
  const choices = alternatives.map((it, at): Choice => {
    const { pointer, value: followed } = follow(document, it);
    const named = mapping.find((mapped) => mapped.pointer === pointer)?.name;
    const title = words(member(followed, "title"), 60);
    const name = named ?? nameOf(pointer) ?? title ?? text.reference.schema.alternative(at + 1);
    return { name, schema: it };
  });
  return { property, choices: choices.filter(({ schema: it }) => hasMembers(document, it)) };
}

/** Returns the alternative named by a value's discriminator property. */
export function chosenBy(document: unknown, schema: unknown, value: unknown): unknown {
  const { property, choices } = choicesOf(document, schema);
  const name = property === undefined ? undefined : member(value, property);
  return choices.find((it) => it.name === name)?.schema;
}

/** Returns the pointer of a mapping, which names a component or refers to it. */
function pointerOf(written: unknown): string | undefined {
  const to = words(written, 500);
  if (to === undefined) return undefined;
  return to.startsWith("#") ? to : `#/components/schemas/${to}`;
}

function hasMembers(document: unknown, schema: unknown): boolean {
  const value = itemOf(document, schema);
  return (
    object(member(value, "properties")) !== undefined ||
    list(member(value, "allOf")).length > 0 ||
    list(member(value, "oneOf")).length > 0
  );
}
