// Parts of libraries that the pages never use, excluded from the build.

import type { Plugin } from "vite";

const EMPTY: readonly [RegExp, string][] = [
  // Names of errors in foreign HTML, which are never reported.
  [/\/parse5\/dist\/common\/error-codes\.js$/, "export const ERR = {};"],
  // The default allow-list: `ui/markdown` defines a stricter one.
  [/\/hast-util-sanitize\/lib\/schema\.js$/, "export const defaultSchema = {};"],
  // Document types: texts are fragments.
  [
    /\/parse5\/dist\/common\/doctype\.js$/,
    'export const isConforming = () => true, getDocumentMode = () => "no-quirks";',
  ],
  // Attributes of SVG, XML and ARIA, all of which are removed from texts.
  [
    /\/property-information\/lib\/(aria|svg|xlink|xml|xmlns)\.js$/,
    "const none = { property: {}, normal: {} };" +
      "export { none as aria, none as svg, none as xlink, none as xml, none as xmlns };",
  ],
  // HTML attributes, except those that `ui/markdown` reads.
  [
    /\/property-information\/lib\/html\.js$/,
    'import { create } from "./util/create.js";' +
      'import { caseInsensitiveTransform as transform } from "./util/case-insensitive-transform.js";' +
      'import { boolean, number } from "./util/types.js";' +
      "const numbers = { colSpan: number, rowSpan: number, start: number };" +
      "const properties = { ...numbers, checked: boolean };" +
      'export const html = create({ space: "html", transform, properties });',
  ],
  [/\/property-information\/lib\/hast-to-react\.js$/, "export const hastToReact = {};"],
  // Errors in styles.
  [/\/vfile-message\/lib\/index\.js$/, "export class VFileMessage extends Error {}"],
  // Browsers have it natively.
  [/\/@ungap\/structured-clone\/esm\/index\.js$/, "export default structuredClone;"],
];

export function unused(): Plugin {
  return {
    name: "unused",
    load: (id) => EMPTY.find(([module]) => module.test(id))?.[1] ?? null,
  };
}
