// Budgets of the portals: sizes, response times of the API with 10,000 APIs and with large
// documents, build output. Prints a table, and fails if a limit is exceeded. The targets, on a slow
// machine and network, are only printed.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { type Role, addressOf, pages } from "./pages";
import { launchBrowser, open, settled, signIn } from "./support/browser";
import { githubShaped } from "./support/github_shaped";
import { manyOperations, startLargeBackEnd } from "./support/large";
import { comparisons, slowStep } from "./support/lifecycle_times";
import { type World, asItIs, created, done, publish, seed } from "./support/seed";
import { type BackEnd, startBackEnd } from "./support/upstream";
import { type Person, ROOT, Tollgate, example } from "./support/tollgate";

const PORTAL = join(ROOT, "portal");
const DIST = join(PORTAL, "dist");
const KB = 1_000;
const APIS = 10_000;
const OPERATIONS = 2_000;

interface Figure {
  name: string;
  value: number;
  unit: "KB" | "ms" | "MB" | "MiB" | "s";
  /** Absent if there is only a target. */
  bound?: number;
  aim?: number;
}

const figures: Figure[] = [];

/** Returns the transfer size of a file, compressed by gzip. */
function gzipped(path: string): number {
  return gzipSync(readFileSync(join(DIST, path)), { level: 9 }).length;
}

/** Returns the files of the portal that a page loads with an empty cache. */
async function filesOf(
  browser: Browser,
  tollgate: Tollgate,
  person: Person,
  address: string,
): Promise<string[]> {
  const { page, close } = await open(browser, tollgate);
  await signIn(page, person);
  // The same session in a window with an empty cache.
  const state = await page.context().storageState();
  await close();
  const fresh = await open(browser, tollgate, { storageState: state });
  const files = new Set<string>();
  fresh.page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (/^\/assets\/.*\.(js|css)$/.test(pathname)) files.add(pathname.slice(1));
  });
  await fresh.page.goto(address);
  await settled(fresh.page);
  await fresh.close();
  return [...files];
}

const weight = (files: readonly string[], kind: string): number =>
  files.filter((file) => file.endsWith(kind)).reduce((sum, file) => sum + gzipped(file), 0) / KB;

const isSignedIn = (role: Role) => role !== "nobody" && role !== "newcomer";

async function sizes(browser: Browser, tollgate: Tollgate, world: World): Promise<void> {
  const first = await filesOf(browser, tollgate, world.developer, "/");
  figures.push({ name: "first load, script", value: weight(first, ".js"), unit: "KB", bound: 200 });
  figures.push({ name: "first load, CSS", value: weight(first, ".css"), unit: "KB", bound: 20 });
  for (const row of pages) {
    if (!isSignedIn(row.role) || row.route === "/") continue;
    const person = world[row.role as "developer"];
    const files = await filesOf(browser, tollgate, person, addressOf(row, world.made));
    const further = files.filter((file) => !first.includes(file));
    const bound = row.route.includes("/reference") ? 60 : 70;
    figures.push({ name: `page ${row.name}`, value: weight(further, ".js"), unit: "KB", bound });
  }
}

/** Returns the second slowest of ten times, in milliseconds. */
async function slowOf(time: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 10; count += 1) times.push(await time());
  return times.sort((one, next) => one - next)[8] ?? 0;
}

async function longLists(tollgate: Tollgate, world: World): Promise<void> {
  await tollgate.halt();
  const words = [`${tollgate.data}/tollgate.db`, "Orders", String(APIS)];
  execFileSync(example("many_apis"), words);
  await tollgate.resume();
  const measureCall = async (name: string, { token }: Person, path: string, bound: number) => {
    const headers = { authorization: `Bearer ${token}` };
    const value = await slowOf(async () => {
      const began = performance.now();
      const answer = await fetch(`${tollgate.control}${path}`, { headers });
      const body = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${body}`);
      return performance.now() - began;
    });
    figures.push({ name, value, unit: "ms", bound });
  };
  await measureCall("catalogue of 10,000", world.developer, "/api/v1/catalogue?limit=100", 500);
  await measureCall(
    "versions of own APIs, 10,000",
    world.publisher,
    "/api/v1/versions?sort=name&limit=100",
    500,
  );
  await measureCall(
    "search of 10,000",
    world.developer,
    "/api/v1/catalogue?limit=100&q=orders+99",
    150,
  );
  await measureCall(
    "search of own 10,000",
    world.publisher,
    "/api/v1/versions?sort=name&limit=100&q=orders+99",
    150,
  );
  const url = `${tollgate.gateway}/orders/1.0/orders`;
  const step = await slowStep(world.publisher, world.made.version, url);
  figures.push({ name: "lifecycle step, 10,000, p99", value: step, unit: "ms", bound: 300 });
}

/** Imports a document as an API; returns the id of its version. */
async function imported({ publisher }: World, name: string, document: string): Promise<string> {
  const query = { name, context: `/${name.toLowerCase()}`, version: "1.0" };
  const made = publisher.api.POST("/api/v1/apis/import", {
    params: { query },
    body: document,
    ...asItIs("application/json"),
  });
  return created(await done(made)).version.id;
}

/** Returns the milliseconds until an operation can be tried, by the page's own clock. */
async function untilTried(page: Page, version: string): Promise<number> {
  await page.goto(`/apis/${version}/reference`);
  const shown = await page.waitForFunction(() => {
    const buttons = [...document.querySelectorAll("button")];
    return buttons.some(({ textContent }) => textContent === "Send") && performance.now();
  });
  return Number(await shown.jsonValue());
}

/** Measures a document like GitHub's: its import, and its first operation without a cache. */
async function githubReference(browser: Browser, tollgate: Tollgate, world: World): Promise<void> {
  const document = githubShaped();
  let version = "";
  let ms = 0;
  const bytes = await tollgate.memoryOf(async () => {
    const began = performance.now();
    version = await imported(world, "Github", document);
    ms = performance.now() - began;
  });
  figures.push({ name: "GitHub's shape: import", value: ms, unit: "ms", bound: 4_000 });
  const memory = { value: bytes / 1_048_576, unit: "MiB", bound: 400 } as const;
  figures.push({ name: "GitHub's shape: memory of import", ...memory });
  await publish(world.publisher.api, version, "http://127.0.0.1:1");
  const { page, close } = await open(browser, tollgate);
  await signIn(page, world.developer);
  await settled(page);
  const first = await untilTried(page, version);
  figures.push({ name: "GitHub's shape: the first one", value: first, unit: "ms", bound: 3_000 });
  const address = `/apis/${version}/reference`;
  const [start, files] = [
    await filesOf(browser, tollgate, world.developer, "/"),
    await filesOf(browser, tollgate, world.developer, address),
  ];
  const script = weight(
    files.filter((file) => !start.includes(file)),
    ".js",
  );
  figures.push({ name: "reference with Markdown", value: script, unit: "KB", bound: 60 });
  const again = await slowOf(() => untilTried(page, version));
  figures.push({ name: "GitHub's shape: another time", value: again, unit: "ms", bound: 1_000 });
  await close();
}

/** Measures a large document: time to its first operation, longest task of a large response. */
async function largeReference(browser: Browser, tollgate: Tollgate, world: World): Promise<void> {
  const backEnd = await startLargeBackEnd();
  const version = await imported(world, "Large", manyOperations(OPERATIONS));
  await publish(world.publisher.api, version, backEnd.url);
  const subscription = { application: world.made.application, version, plan: "unlimited" };
  await done(world.developer.api.POST("/api/v1/subscriptions", { body: subscription }));
  const { page, close } = await open(browser, tollgate);
  await signIn(page, world.developer);
  await settled(page);
  const send = page.getByRole("button", { name: "Send", exact: true });
  const firstOperation = await slowOf(() => untilTried(page, version));
  const name = "2,000 operations: the first one";
  figures.push({ name, value: firstOperation, unit: "ms", bound: 1_000 });

  await page.getByLabel("id", { exact: true }).fill("1");
  const longest = await longestOf(page, "longtask", async () => {
    await send.click();
    await page.getByRole("region", { name: "Response body" }).waitFor();
  });
  figures.push({ name: "1 MiB shown: longest task", value: longest, unit: "ms", bound: 200 });
  const more = await longestOf(page, "longtask", async () => {
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("The first 1.0 MiB of").waitFor();
  });
  figures.push({ name: "all of it: longest task", value: more, unit: "ms", bound: 500 });
  await close();
  await backEnd.stop();
  const { documents, revisions } = await comparisons(world.publisher, version, OPERATIONS);
  const bound = 3_000;
  figures.push({ name: "2,000 operations: documents", value: documents, unit: "ms", bound });
  figures.push({ name: "2,000 operations: revisions", value: revisions, unit: "ms", bound });
}

/** At a quarter of the CPU, 10 Mbit/s and 40 ms: time to content, and to react to a press. */
async function slowMachine(browser: Browser, tollgate: Tollgate, world: World): Promise<void> {
  const { page, close } = await open(browser, tollgate);
  await signIn(page, world.developer);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.clearBrowserCache");
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const throughput = 10_000_000 / 8;
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 40,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  await page.goto("/");
  await settled(page);
  figures.push({ name: "aim: LCP", value: await largestPaint(page), unit: "ms", aim: 1_800 });
  const press = await interaction(page, "Show as command");
  figures.push({ name: "aim: INP", value: press, unit: "ms", aim: 200 });
  await close();
}

const largestPaint = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          resolve(list.getEntries().at(-1)?.startTime ?? 0);
        }).observe({ type: "largest-contentful-paint", buffered: true });
      }),
  );

async function interaction(page: Page, button: string): Promise<number> {
  return longestOf(page, "event", async () => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").waitFor();
  });
}

/** Returns the longest entry (W3C Long Tasks, Event Timing) that the page records meanwhile. */
async function longestOf(
  page: Page,
  type: "event" | "longtask",
  act: () => Promise<void>,
): Promise<number> {
  await page.evaluate((type) => {
    const longest = { ms: 0 };
    Object.assign(globalThis, { longest });
    // Events below 104 ms are not reported by default; 16 is the minimum threshold.
    const options = { type, durationThreshold: 16 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
    }).observe(options);
  }, type);
  await act();
  await page.waitForTimeout(1_000);
  return page.evaluate(() => (globalThis as unknown as { longest: { ms: number } }).longest.ms);
}

/** Returns the size of the table in `crates/portal`, which has only one form of each file. */
function bytesInBinary(): number {
  const names = readdirSync(DIST, { recursive: true, encoding: "utf8" });
  const held = names.filter((name) => !names.includes(`${name}.gz`));
  const files = held.map((name) => statSync(join(DIST, name))).filter((it) => it.isFile());
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Measures install, types and build of a fresh clone, in a separate folder. */
function fromScratch(): void {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-portal-build-"));
  const skipped = /portal\/(node_modules|dist|shots)(\/|$)/;
  cpSync(PORTAL, join(folder, "portal"), { recursive: true, filter: (it) => !skipped.test(it) });
  cpSync(join(ROOT, "api"), join(folder, "api"), { recursive: true });
  const began = performance.now();
  for (const script of [
    ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
    ["run", "--silent", "types"],
    ["exec", "tsc"],
    ["run", "--silent", "build"],
  ]) {
    execFileSync("npm", script, { cwd: join(folder, "portal"), stdio: "ignore" });
  }
  const value = (performance.now() - began) / 1_000;
  figures.push({ name: "install, types, build", value, unit: "s", bound: 60 });
  rmSync(folder, { recursive: true, force: true });
}

function print(): void {
  for (const { name, value, unit, bound, aim } of figures) {
    const most = bound ?? aim ?? Infinity;
    const verdict = value <= most ? "ok" : bound === undefined ? "above the aim" : "ABOVE";
    const number = value.toFixed(unit === "MB" ? 2 : 1).padStart(8);
    console.log(
      `${name.padEnd(34)} ${number} ${unit.padEnd(3)} of ${String(most).padStart(6)}  ${verdict}`,
    );
    if (verdict === "ABOVE") process.exitCode = 1;
  }
  const [load = 0] = loadavg();
  console.log(`load of this machine: ${load.toFixed(1)} on ${availableParallelism()} processors`);
}

async function measure(browser: Browser, tollgate: Tollgate, backEnd: BackEnd): Promise<void> {
  const world = await seed(tollgate, backEnd.url);
  await sizes(browser, tollgate, world);
  await slowMachine(browser, tollgate, world);
  await largeReference(browser, tollgate, world);
  await githubReference(browser, tollgate, world);
  await longLists(tollgate, world);
}

figures.push({ name: "in the binary", value: bytesInBinary() / 1e6, unit: "MB", bound: 1.5 });
const [browser, backEnd, tollgate] = await Promise.all([
  launchBrowser(),
  startBackEnd(),
  Tollgate.start(),
]);
try {
  await measure(browser, tollgate, backEnd);
} finally {
  await browser.close();
  await tollgate.stop();
  await backEnd.stop();
}
fromScratch();
print();
