// What holds on every page. Each check returns its findings, a line each.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import type { Listed } from "../pages";
import { pasted } from "./shell";
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
      axe: { run: (context: object) => Promise<{ violations: Finding[] }> };
    };
    // What React Aria says aloud stays there for seconds, when what it names may be gone.
    return (await axe.run({ exclude: ["[data-live-announcer]"] })).violations;
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

/** How often a page reads while it loads, beside its session. */
const CALLS_MAX = 6;

/** What of a page's calls to the HTTP API is no question for who is signed in. */
export const callsBesideSession = (asked: readonly string[]): string[] =>
  asked.filter((call) => call !== "GET /api/v1/session");

/** Whether a page asks often, or more the more rows it has: the same path with several ids. */
export function callFindings(all: readonly string[]): string[] {
  const asked = callsBesideSession(all);
  const reads = asked.filter((call) => call.startsWith("GET "));
  const ids = new Map<string, Set<string>>();
  for (const call of asked) {
    const path = call.replace(/[a-z]{3}_\w{11}/g, "…");
    ids.set(path, (ids.get(path) ?? new Set()).add(call));
  }
  const often = [...ids].filter(([, calls]) => calls.size > 2);
  return [
    ...often.map(([path, calls]) => `asks ${path} for each of ${calls.size} rows`),
    ...(reads.length > CALLS_MAX ? [`reads ${reads.length} times: ${reads.join(", ")}`] : []),
  ];
}

/** The lines of "Show as command"; nothing where there is no such button. */
export async function commandLines(page: Page): Promise<string[] | undefined> {
  const show = page.getByRole("button", { name: "Show as command", exact: true });
  if ((await show.count()) === 0) return undefined;
  await show.click();
  const code = page.getByRole("region", { name: "Shell commands" });
  const text = (await code.count()) === 0 ? "" : await code.textContent();
  await page.keyboard.press("Escape");
  return text ? text.split("\n") : [];
}

/** Whether a line of "Show as command" changes something, and not only asks what it would. */
export const isChange = (line: string): boolean =>
  line.includes(" -X ") && !line.includes("dry_run=true");

/** Runs lines of "Show as command", pasted into a shell; returns the status and URL of each. */
export async function pasteCommands(
  lines: readonly string[],
  { control }: Pick<Tollgate, "control">,
  token: string,
): Promise<string[]> {
  // What each line would print is not looked at, only how it was answered.
  const paste = [
    `export TOLLGATE=${control} TOLLGATE_TOKEN=${token}`,
    `curl() { command curl -o /dev/null -w '%{http_code} %{url}\\n' "$@"; }`,
    ...lines,
  ];
  return (await pasted(paste.join("\n"))).trim().split("\n");
}

/** Whether the page shows what it asked as commands, and those that only read run when pasted. */
export async function commandFindings(
  { asksNothing }: Listed,
  page: Page,
  tollgate: Tollgate,
  token: string,
): Promise<string[]> {
  const lines = await commandLines(page);
  if (lines === undefined) return ["has no “Show as command”"];
  const reading = lines.filter((line) => !isChange(line));
  if (reading.length === 0) return asksNothing ? [] : ["shows no command"];
  const answered = await pasteCommands(reading, tollgate, token);
  const refused = answered.filter((answer) => !answer.startsWith("200 "));
  if (answered.length !== reading.length) refused.push(`${answered.length} answers`);
  return refused.map((answer) => `as a command: ${answer}`);
}
