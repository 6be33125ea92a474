// Parts of libraries that the pages never use, left out of what is built.

import type { Plugin } from "vite";

const EMPTY: readonly [RegExp, string][] = [
  // Names of errors in foreign HTML, which nobody is given.
  [/\/parse5\/dist\/common\/error-codes\.js$/, "export const ERR = {};"],
  // What is allowed by default: `ui/markdown` allows less, and names all of it.
  [/\/hast-util-sanitize\/lib\/schema\.js$/, "export const defaultSchema = {};"],
  // Attributes of SVG, XML and ARIA, and styles: no text keeps any.
  [
    /\/property-information\/lib\/(aria|svg|xlink|xml|xmlns)\.js$/,
    "const none = { property: {}, normal: {} };" +
      "export { none as aria, none as svg, none as xlink, none as xml, none as xmlns };",
  ],
  [/\/property-information\/lib\/hast-to-react\.js$/, "export const hastToReact = {};"],
  // What is wrong with a style.
  [/\/vfile-message\/lib\/index\.js$/, "export class VFileMessage extends Error {}"],
  // Browsers have it.
  [/\/@ungap\/structured-clone\/esm\/index\.js$/, "export default structuredClone;"],
];

export function unused(): Plugin {
  return {
    name: "unused",
    load: (id) => EMPTY.find(([module]) => module.test(id))?.[1] ?? null,
  };
}
