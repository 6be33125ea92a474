// Named entities, such as `&mdash;`: the table of all is loaded for the first text that has one.

/** What may begin the name of an entity. */
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

/** The characters that a name stands for; false where it is unknown. */
export function decodeNamedCharacterReference(name: string): string | false {
  return Object.hasOwn(table, name) ? (table[name] ?? false) : false;
}
