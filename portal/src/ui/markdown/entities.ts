// Named entities, such as `&mdash;`. Their table is loaded for the first text that contains one.

/** Matches what may be a named entity. */
const NAMED = /&[a-z]/i;

let table: Readonly<Record<string, string>> = {};
let loading: Promise<void> | undefined;

export const hasEntities = (text: string): boolean => NAMED.test(text);

/** Resolves once entities can be decoded. */
export function loadEntities(): Promise<void> {
  loading ??= import("character-entities").then(({ characterEntities }) => {
    table = characterEntities;
  });
  return loading;
}

/** The characters of an entity; false if its name is unknown. */
export function decodeNamedCharacterReference(name: string): string | false {
  return Object.hasOwn(table, name) ? (table[name] ?? false) : false;
}
