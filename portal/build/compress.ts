// Writes a compressed copy of each built file: the binary serves these and never compresses itself.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Smaller files fit in one packet anyway. */
const BYTES_MIN = 1024;
const TEXT = /\.(css|html|js|json|md|svg)$/;

function* files(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else yield path;
  }
}

/**
 * Adds `NAME.gz` and, if it is smaller still, `NAME.br` for every text file of a build except the
 * page, because the server writes a nonce into it.
 */
export function compress(): Plugin {
  let folder = "";
  return {
    name: "compress",
    apply: "build",
    configResolved: (config) => {
      folder = config.build.outDir;
    },
    closeBundle: () => {
      for (const path of [...files(folder)]) {
        const bytes = readFileSync(path);
        if (path.endsWith("index.html") || !TEXT.test(path) || bytes.length < BYTES_MIN) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        const gzip = gzipSync(bytes, { level: 9 });
        if (gzip.length >= bytes.length) continue;
        writeFileSync(`${path}.gz`, gzip);
        const brotli = brotliCompressSync(bytes, { params });
        if (brotli.length < gzip.length) writeFileSync(`${path}.br`, brotli);
      }
    },
  };
}
