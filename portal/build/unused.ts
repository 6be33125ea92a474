// Parts of libraries that the pages never use, left out of what is built.

import type { Plugin } from "vite";

const EMPTY: readonly [RegExp, string][] = [
  // Names of errors in foreign HTML, which nobody is given.
  [/\/parse5\/dist\/common\/error-codes\.js$/, "export const ERR = {};"],
  // What is allowed by default: `ui/markdown` allows less, and names all of it.
  [/\/hast-util-sanitize\/lib\/schema\.js$/, "export const defaultSchema = {};"],
  // What makes Markdown of a tree: `remark-gfm` brings both ways, and Markdown is only read.
  [/\/mdast-util-to-markdown\/index\.js$/, "export const defaultHandlers = {};"],
  [/\/markdown-table\/index\.js$/, "export const markdownTable = () => '';"],
  // Attributes of SVG and styles: no text keeps any.
  [/\/property-information\/lib\/svg\.js$/, "export const svg = { property: {}, normal: {} };"],
  [/\/style-to-object\/(esm|dist)\/index\.(mjs|js)$/, "export default () => undefined;"],
  // Browsers have it.
  [/\/@ungap\/structured-clone\/esm\/index\.js$/, "export default structuredClone;"],
];

export function unused(): Plugin {
  return {
    name: "unused",
    load: (id) => EMPTY.find(([module]) => module.test(id))?.[1] ?? null,
  };
}
