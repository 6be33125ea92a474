// Modules that bundlers replace by their build for browsers, where that build is not for us.

import { createRequire } from "node:module";

const { resolve } = createRequire(import.meta.url);

/**
 * The browser build of `decode-named-character-reference` decodes an entity by setting `innerHTML`,
 * which the page's policy (Trusted Types) forbids. The other build reads a table.
 */
export const aliases = [
  {
    find: /^decode-named-character-reference$/,
    replacement: resolve("decode-named-character-reference"),
  },
];
