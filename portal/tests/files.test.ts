// How the built pages are served: hashed files are immutable, the page itself is never cached; and
// the build's message on a machine without Node.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settled } from "./support/browser";
import { stage } from "./support/stage";
import { ROOT } from "./support/tollgate";

const house = stage();

test("hashed files are immutable, the page is not kept", async () => {
  const { page } = await house.window();
  const kept = new Map<string, string | undefined>();
  page.on("response", (response) => {
    kept.set(new URL(response.url()).pathname, response.headers()["cache-control"]);
  });
  await page.goto("/sign-in");
  await settled(page);
  expect(kept.get("/sign-in")).toBe("no-store");
  const hashed = [...kept].filter(([path]) => path.startsWith("/assets/"));
  expect(hashed.length).toBeGreaterThan(2);
  const changing = hashed.filter(([, cache]) => cache !== "public, max-age=31536000, immutable");
  expect(changing).toEqual([]);
});

/** Returns a folder that contains only these commands. */
function folderOf(commands: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-commands-"));
  for (const command of commands) {
    const path = execFileSync("bash", ["-c", `command -v ${command}`], { encoding: "utf8" });
    symlinkSync(path.trim(), join(folder, command));
  }
  return folder;
}

test.each([
  ["at home it goes on", "0", 0],
  ["where services are required it fails", "1", 1],
])("without Node, one sentence reports what is missing: %s", (_, required, status) => {
  const folder = folderOf(["bash", "dirname"]);
  const env = { PATH: folder, TOLLGATE_REQUIRE_SERVICES: required };
  const built = spawnSync(join(folder, "bash"), [join(ROOT, ".ci/portal")], {
    env,
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  expect(built.stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/^no portal is built: it needs Node 20\.19 or later with npm; /),
  ]);
  expect(built.stdout).toBe("");
  expect(built.status).toBe(status);
});
