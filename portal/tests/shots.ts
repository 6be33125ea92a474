// Screenshots of every page: 1280 and 400 px, light and dark, with its dialogs and states, with a
// failing API, and empty lists of a new installation. Written to `portal/shots`, with an index
// page.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { type Listed, type Role, type State, addressOf, isBare, isUsage, pages } from "./pages";
import { DESKTOP, PHONE, launchBrowser, open, settled, signIn } from "./support/browser";
import { seedBusy } from "./support/busy";
import { addVersions, callOnce } from "./support/usage";
import { type World, seedEmpty } from "./support/seed";
import { failing } from "./support/failing";
import { startBackEnd } from "./support/upstream";
import { type Person, Tollgate } from "./support/tollgate";

const FOLDER = join(import.meta.dirname, "../shots");

const LOOKS = [
  { name: "1280-light", viewport: DESKTOP, colorScheme: "light" },
  { name: "1280-dark", viewport: DESKTOP, colorScheme: "dark" },
  { name: "400-dark", viewport: PHONE, colorScheme: "dark" },
  { name: "400-light", viewport: PHONE, colorScheme: "light" },
] as const;

/** Number of versions of a large API. */
const VERSIONS = 300;

/** Time for the page to react to a change of the window. */
const REPAINT_MS = 80;

async function shoot(page: Page, name: string): Promise<void> {
  for (const { name: look, viewport, colorScheme } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(REPAINT_MS);
    await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`), fullPage: true });
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: "light" });
}

/** Takes screenshots of a page in all its states; returns their names. */
async function shootPage(page: Page, row: Listed, world: World): Promise<string[]> {
  const address = addressOf(row, world.made);
  const shown: string[] = [];
  const show = async (state?: State) => {
    await page.goto(address);
    await settled(page);
    await state?.do(page, world.made);
    if (state) await settled(page);
    const name = state ? `${row.name}.${state.name}` : row.name;
    await shoot(page, name);
    shown.push(name);
  };
  await show();
  for (const state of row.states ?? []) await show(state);
  if (row.role === "nobody" || row.role === "newcomer") return shown;
  const mend = await failing(page);
  await show({ name: "failed", do: () => Promise.resolve() });
  await mend();
  return shown;
}

async function shootRole(
  browser: Browser,
  tollgate: Tollgate,
  world: World,
  role: Role,
): Promise<string[]> {
  const { page, close } = await open(browser, tollgate);
  const newcomer = async () => ({
    name: "nora",
    password: await tollgate.newcomer("nora", "developer"),
  });
  if (role === "newcomer") await signIn(page, await newcomer());
  else if (role !== "nobody") await signIn(page, world[role]);
  const shown: string[] = [];
  for (const row of pages.filter((row) => row.role === role)) {
    try {
      shown.push(...(await shootPage(page, row, world)));
    } catch (error) {
      console.error(`${row.name}: ${String(error).split("\n").slice(0, 3).join(" ")}`);
      process.exitCode = 1;
    }
  }
  await close();
  return shown;
}

interface Shot {
  person: Person;
  address: string;
  name: string;
}

/** Takes screenshots of a page, in a session of its own; returns their name. */
async function shootOne(
  browser: Browser,
  tollgate: Tollgate,
  { person, address, name }: Shot,
): Promise<string> {
  const { page, close } = await open(browser, tollgate);
  await signIn(page, person);
  await page.goto(address);
  await settled(page);
  await shoot(page, name);
  await close();
  return name;
}

/** Takes screenshots of a new installation: empty lists. */
async function shootEmpty(browser: Browser): Promise<string[]> {
  const tollgate = await Tollgate.start();
  const shown: string[] = [];
  try {
    const world = await seedEmpty(tollgate);
    for (const role of ["developer", "publisher", "administrator"] as const) {
      for (const row of pages.filter((row) => row.role === role && isBare(row))) {
        const person = world.opener(row, role);
        const shot = { person, address: addressOf(row, world.made), name: `${row.name}.empty` };
        shown.push(await shootOne(browser, tollgate, shot));
      }
    }
  } finally {
    await tollgate.stop();
  }
  return shown;
}

/** Takes screenshots of the pages of usage with a single call, and of an API with many versions. */
async function shootUsage(browser: Browser, upstream: string): Promise<string[]> {
  const tollgate = await Tollgate.start();
  const shown: string[] = [];
  const shootAll = async (world: World, state: string) => {
    for (const row of pages.filter((row) => isUsage(row))) {
      const person = world[row.role === "developer" ? "developer" : "publisher"];
      const shot = { person, address: addressOf(row, world.made), name: `${row.name}.${state}` };
      shown.push(await shootOne(browser, tollgate, shot));
    }
  };
  try {
    const world = await seedEmpty(tollgate);
    await callOnce(tollgate, world, upstream);
    await shootAll(world, "one-call");
    await addVersions(tollgate, world, VERSIONS);
    await shootAll(world, `${VERSIONS}-versions`);
  } finally {
    await tollgate.stop();
  }
  return shown;
}

function index(shown: readonly string[]): string {
  const pictures = (name: string) =>
    LOOKS.map(({ name: look }) => {
      const file = `${name}-${look}.png`;
      return `<a href="${file}"><img src="${file}" alt="${name}, ${look}" loading="lazy"></a>`;
    }).join("");
  const sections = shown.map(
    (name) => `<section id="${name}"><h2>${name}</h2><div>${pictures(name)}</div></section>`,
  );
  const links = shown.map((name) => `<a href="#${name}">${name}</a>`).join(" ");
  return `<!doctype html><meta charset="utf-8"><title>Pages</title>
<style>body{font:14px sans-serif;margin:1em}div{display:grid;gap:8px;align-items:start;
grid-template-columns:3fr 3fr 1fr 1fr}img{width:100%;border:1px solid #aaa}nav a{margin-right:1em}
</style><nav>${links}</nav>${sections.join("\n")}`;
}

const began = Date.now();
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const [browser, backEnd, tollgate] = await Promise.all([
  launchBrowser(),
  startBackEnd(),
  Tollgate.start(),
]);
try {
  const world = await seedBusy(tollgate, backEnd.url);
  const roles: Role[] = ["nobody", "newcomer", "developer", "publisher", "administrator"];
  const shown = await Promise.all([
    ...roles.map((role) => shootRole(browser, tollgate, world, role)),
    shootEmpty(browser),
    shootUsage(browser, backEnd.url),
  ]);
  writeFileSync(join(FOLDER, "index.html"), index(shown.flat()));
  const seconds = Math.round((Date.now() - began) / 1_000);
  console.log(`shots: ${shown.flat().length} states in ${seconds} s: portal/shots/index.html`);
} finally {
  await browser.close();
  await tollgate.stop();
  await backEnd.stop();
}
