// Modules replaced at build time, where the browser build of a library does not work here.

import { fileURLToPath } from "node:url";

/**
 * The browser build of `decode-named-character-reference` decodes an entity by setting `innerHTML`,
 * which the page's policy (Trusted Types) forbids. The other build reads a table of 2,000 names,
 * which is loaded only for a text that contains an entity.
 */
export const aliases = [
  {
    find: /^decode-named-character-reference$/,
    replacement: fileURLToPath(new URL("../src/ui/markdown/entities.ts", import.meta.url)),
  },
];
