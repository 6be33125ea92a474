// Modules that bundlers replace by others, where those that they would take are not for us.

import { fileURLToPath } from "node:url";

/**
 * The browser build of `decode-named-character-reference` decodes an entity by setting `innerHTML`,
 * which the page's policy (Trusted Types) forbids. The other build reads a table of 2,000 names,
 * which ours loads only for a text that has one.
 */
export const aliases = [
  {
    find: /^decode-named-character-reference$/,
    replacement: fileURLToPath(new URL("../src/ui/markdown/entities.ts", import.meta.url)),
  },
];
