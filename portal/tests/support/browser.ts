// Debian's Chromium, and pages that are watched: a breach of the page's policy, an error in the console,
// a request to another host each fail the test.

import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import type { Person, Tollgate } from "./tollgate";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
}

/** A page and what went wrong on it. */
export interface Watched {
  page: Page;
  /** Breaches, errors of the console, exceptions, requests to other hosts. */
  faults: string[];
  close: () => Promise<void>;
}

/** What a test provokes on purpose is no fault: texts that a fault may hold. */
export type Expected = readonly (string | RegExp)[];

export async function open(
  browser: Browser,
  tollgate: Tollgate,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: tollgate.control,
    viewport: { width: 1280, height: 760 },
    locale: "en-GB",
    timezoneId: "UTC",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy breached: ${event.violatedDirective} by ${event.blockedURI}`);
    });
  });
  const page = await context.newPage();
  const faults: string[] = [];
  const hosts = [new URL(tollgate.control).host, new URL(tollgate.gateway).host];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && !hosts.includes(url.host)) {
      faults.push(`request to ${url.host}`);
    }
  });
  return { page, faults, close: () => context.close() };
}

export async function signIn(page: Page, { name, password }: Person): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
}
