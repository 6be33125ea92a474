import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { EXECUTABLE } from "./tests/support/executable.ts";

const NEED_NO_BROWSER = ["src/**/*.test.ts", "tests/operations.test.ts"];
const isComplete = existsSync(EXECUTABLE) || process.env["TOLLGATE_REQUIRE_SERVICES"] === "1";
if (!isComplete) console.log(`skipped: pages and flows of the portals (no ${EXECUTABLE})`);

export default defineConfig({
  test: {
    include: isComplete ? ["src/**/*.test.ts", "tests/**/*.test.ts"] : NEED_NO_BROWSER,
    reporters: ["default", "./build/closing_line.ts"],
    // One browser at a time: two cores, and clocks that are measured.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
