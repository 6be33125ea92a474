// Tables of libraries that the pages never read, left out of what is built.

import type { Plugin } from "vite";

const EMPTY: readonly [RegExp, string][] = [
  // Names of errors in foreign HTML, which nobody is given.
  [/\/parse5\/dist\/common\/error-codes\.js$/, "export const ERR = {};"],
  // What is allowed by default: `ui/markdown` allows less, and names all of it.
  [/\/hast-util-sanitize\/lib\/schema\.js$/, "export const defaultSchema = {};"],
];

export function unused(): Plugin {
  return {
    name: "unused",
    load: (id) => EMPTY.find(([module]) => module.test(id))?.[1] ?? null,
  };
}
