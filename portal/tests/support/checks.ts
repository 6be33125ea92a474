// What holds on every page. Each check returns its findings, a line each.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import type { Tollgate } from "./tollgate";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What axe finds wrong. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Not by a script element: the page's policy forbids that, and the protocol may.
  await page.evaluate(AXE);
  const findings = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: Finding[] }> };
    };
    return (await axe.run()).violations;
  });
  return findings.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ""}`),
  );
}

/** That nothing scrolls sideways; names what reaches too far. */
export function sidewaysFindings(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const pixels = document.documentElement.scrollWidth - innerWidth;
    if (pixels <= 0) return [];
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) => element.getBoundingClientRect().right > innerWidth + 1,
    );
    const names = wide.slice(-3).map((element) => `${element.tagName} ${element.className}`);
    return [`scrolls sideways by ${pixels} px: ${names.join(", ")}`];
  });
}

/** One `h1` that says something, and a title that begins with what the page is. */
export function headingFindings(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const findings: string[] = [];
    const headings = [...document.querySelectorAll("h1")];
    if (headings.length !== 1) findings.push(`${headings.length} h1`);
    if (headings.some((heading) => !heading.textContent.trim())) findings.push("an empty h1");
    if (!document.title.endsWith(" · Tollgate")) findings.push(`the title ${document.title}`);
    return findings;
  });
}

/** How often a page asks while it loads, beside its session. */
const CALLS_MAX = 6;

/** What of a page's calls to the HTTP API is no question for who is signed in. */
export const callsBesideSession = (asked: readonly string[]): string[] =>
  asked.filter((call) => call !== "GET /api/v1/session");

/** Whether a page asks often, or more the more rows it has: the same path with several ids. */
export function callFindings(all: readonly string[]): string[] {
  const asked = callsBesideSession(all);
  const ids = new Map<string, Set<string>>();
  for (const call of asked) {
    const path = call.replace(/[a-z]{3}_\w{11}/g, "…");
    ids.set(path, (ids.get(path) ?? new Set()).add(call));
  }
  const often = [...ids].filter(([, calls]) => calls.size > 2);
  return [
    ...often.map(([path, calls]) => `asks ${path} for each of ${calls.size} rows`),
    ...(asked.length > CALLS_MAX ? [`asks ${asked.length} times: ${asked.join(", ")}`] : []),
  ];
}

/**
 * Runs the lines of "Show as command" that only read, pasted into a shell; says which were refused.
 */
export async function commandFindings(
  page: Page,
  { control }: Tollgate,
  token: string,
): Promise<string[]> {
  const show = page.getByRole("button", { name: "Show as command", exact: true });
  if ((await show.count()) === 0) return [];
  await show.click();
  const code = page.getByRole("region", { name: "Lines for the shell" });
  const lines = (await code.count()) === 0 ? [] : ((await code.textContent()) ?? "").split("\n");
  await page.keyboard.press("Escape");
  const reading = lines.filter((line) => !line.includes(" -X "));
  if (reading.length === 0) return [];
  // What each line would print is not looked at, only how it was answered.
  const paste = [
    `curl() { command curl -o /dev/null -w '%{http_code} %{url}\\n' "$@"; }`,
    ...reading,
  ];
  const env = { ...process.env, TOLLGATE: control, TOLLGATE_TOKEN: token };
  const answers = execFileSync("bash", { input: paste.join("\n"), env, encoding: "utf8" });
  const answered = answers.trim().split("\n");
  const refused = answered.filter((answer) => !answer.startsWith("200 "));
  if (answered.length !== reading.length) refused.push(`${answered.length} answers`);
  return refused.map((answer) => `as a command: ${answer}`);
}
