import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { aliases } from "./build/aliases.ts";
import { EXECUTABLE } from "./tests/support/executable.ts";

const NEED_NO_BROWSER = ["src/**/*.test.ts", "tests/operations.test.ts"];
const isComplete = existsSync(EXECUTABLE) || process.env["TOLLGATE_REQUIRE_SERVICES"] === "1";
if (!isComplete) console.log(`skipped: pages and flows of the portals (no ${EXECUTABLE})`);

export default defineConfig({
  resolve: { alias: aliases },
  test: {
    include: isComplete ? ["src/**/*.test.ts", "tests/**/*.test.ts"] : NEED_NO_BROWSER,
    reporters: ["default", "./build/closing_line.ts"],
    // Two browsers for two cores, each shared by many files, because a start takes longer than many
    // tests. The measured times allow for that: their bound is a minute.
    maxWorkers: 2,
    isolate: false,
    testTimeout: 180_000,
    // Like the tests of Rust (.config/nextest.toml): what then passes is unsteady, and is listed.
    retry: 1,
    // One second otherwise, which a loaded machine exceeds.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 180_000,
  },
});
