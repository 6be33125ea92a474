// Runs a TypeScript script, which Node 20 does not support natively:
// `node build/run.js tests/shots.ts`.

import { resolve } from "node:path";
import { runnerImport } from "vite";

await runnerImport(resolve(process.argv[2] ?? ""), { logLevel: "error" });
