// Debian's Chromium, with monitored pages: a policy violation, a console error or a request to
// another host fails the test.

import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium,
} from "playwright-core";
import { EXECUTABLE } from "./executable";
import type { Person, Tollgate } from "./tollgate";

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

let shared: Promise<Browser> | undefined;

/** Returns the browser of this process, which all of its test files share. */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= launchBrowser());
}

/** Closes all open windows of a browser. */
export async function closeWindows(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/** A page and its faults. */
export interface Watched {
  page: Page;
  /** Policy violations, console errors, exceptions, requests to other hosts. */
  faults: string[];
  /** Requests to the HTTP API: method and path. */
  apiCalls: string[];
  /** Total number of requests. */
  requests: () => number;
  close: () => Promise<void>;
}

/** Patterns of faults that a test provokes on purpose. */
export type Expected = readonly RegExp[];

/** The expected response if nobody is signed in. */
const NOBODY = /status of 401 .*\/api\/v1\/session$/;

export const DESKTOP = { width: 1280, height: 760 };
export const PHONE = { width: 400, height: 800 };

/** How long a flow waits for what it looks for: 30 s otherwise, which a loaded machine exceeds. */
const WAIT_MS = 60_000;

export async function open(
  browser: Browser,
  tollgate: Tollgate,
  options: BrowserContextOptions = {},
  expected: Expected = [],
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: tollgate.control,
    viewport: DESKTOP,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(WAIT_MS);
  const watched = await watch(context, tollgate, expected);
  return { ...watched, page: countRequests(await context.newPage()), close: () => context.close() };
}

type Watch = Omit<Watched, "page" | "close">;

async function watch(
  context: BrowserContext,
  tollgate: Tollgate,
  expected: Expected,
): Promise<Watch> {
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy breached: ${event.violatedDirective} by ${event.blockedURI}`);
    });
  });
  const faults: string[] = [];
  const apiCalls: string[] = [];
  let requests = 0;
  const { control, controlHttps, gateway, gatewayHttps } = tollgate;
  const ours = [control, controlHttps, gateway, gatewayHttps];
  const hosts = ours.flatMap((url) => (url === undefined ? [] : [new URL(url).host]));
  const note = (fault: string) => {
    if (![NOBODY, ...expected].some((text) => text.test(fault))) faults.push(fault);
  };
  context.on("console", (message) => {
    if (message.type() === "error") note(`console: ${message.text()} ${message.location().url}`);
  });
  context.on("weberror", (error) => note(`exception: ${error.error().message}`));
  context.on("request", (request) => {
    const { protocol, host, pathname } = new URL(request.url());
    if (!protocol.startsWith("http")) return;
    requests += 1;
    if (pathname.startsWith("/api/")) apiCalls.push(`${request.method()} ${pathname}`);
    if (!hosts.includes(host)) note(`request to ${host}`);
  });
  return { faults, apiCalls, requests: () => requests };
}

type Credentials = Pick<Person, "name" | "password">;

/** Opens the portal with a new session, without the sign-in form. */
export async function signIn(page: Page, { name, password }: Credentials): Promise<void> {
  const answer = await page.request.post("/api/v1/session", { data: { name, password } });
  if (!answer.ok()) throw new Error(`${name} cannot sign in: ${await answer.text()}`);
  await page.goto("/");
}

/** Fills in the sign-in form, on its page or above another. */
export async function fillSignIn(page: Page, { name, password }: Credentials): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Number of pending requests of a page. */
const underWay = new WeakMap<Page, number>();
/** A response may cause the next request, so no request must be pending for this long. */
const QUIET_MS = 120;
const LOOK_MS = 20;
/** A request still pending after this time is a stream. */
const SETTLED_MS_MAX = 10_000;

function countRequests(page: Page): Page {
  const add = (count: number) => underWay.set(page, (underWay.get(page) ?? 0) + count);
  page.on("request", () => add(1));
  page.on("requestfinished", () => add(-1));
  page.on("requestfailed", () => add(-1));
  return page;
}

/** Returns the card with a title. */
export const cardOf = (page: Page, title: RegExp) =>
  page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: title }) });

/** How long a page may have no idle moment: one that draws nothing may not be given any. */
const IDLE_MS_MAX = 1_000;

/** Waits until a page is idle: on a loaded machine it sees a response later than the browser. */
async function idle(page: Page): Promise<void> {
  const isIdle = page.evaluate(
    (timeout) => new Promise((resolve) => requestIdleCallback(resolve, { timeout })),
    IDLE_MS_MAX,
  );
  // It fails in a page that is left meanwhile; the next look is at the new one.
  await isIdle.catch(() => undefined);
}

/** Waits until a page is complete: no request is pending, no skeleton is left. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  let quietMs = 0;
  const until = Date.now() + SETTLED_MS_MAX;
  while (quietMs < QUIET_MS && Date.now() < until) {
    await page.waitForTimeout(LOOK_MS);
    await idle(page);
    quietMs = (underWay.get(page) ?? 0) > 0 ? 0 : quietMs + LOOK_MS;
  }
  await page.getByLabel("Loading", { exact: true }).first().waitFor({ state: "hidden" });
}
