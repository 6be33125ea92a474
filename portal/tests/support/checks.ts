// Checks that apply to every page. Each returns its findings, one line each.

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

/** Returns the findings of axe. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Not by a script element, which the page's policy forbids.
  await page.evaluate(AXE);
  const findings = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: (context: object) => Promise<{ violations: Finding[] }> };
    };
    // React Aria's announcements stay for seconds, when their subject may be gone.
    return (await axe.run({ exclude: ["[data-live-announcer]"] })).violations;
  });
  return findings.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ""}`),
  );
}

/** Checks that nothing scrolls sideways; names elements that are too wide. */
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

/** Checks for one non-empty `h1`, and for the suffix of the title. */
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

/** Maximum number of reads while a page loads, besides its session. */
const CALLS_MAX = 7;

/** Returns a page's calls to the HTTP API, except those for the session. */
export const callsBesideSession = (apiCalls: readonly string[]): string[] =>
  apiCalls.filter((call) => call !== "GET /api/v1/session");

/** Reports too many requests, or one per row: the same path with several ids. */
export function callFindings(all: readonly string[]): string[] {
  const apiCalls = callsBesideSession(all);
  const reads = apiCalls.filter((call) => call.startsWith("GET "));
  const ids = new Map<string, Set<string>>();
  for (const call of apiCalls) {
    const path = call.replace(/[a-z]{3}_\w{11}/g, "…");
    ids.set(path, (ids.get(path) ?? new Set()).add(call));
  }
  const often = [...ids].filter(([, calls]) => calls.size > 2);
  return [
    ...often.map(([path, calls]) => `requests ${path} for each of ${calls.size} rows`),
    ...(reads.length > CALLS_MAX ? [`reads ${reads.length} times: ${reads.join(", ")}`] : []),
  ];
}

/** Returns the lines of "Show as command"; undefined if there is no such button. */
export async function commandLines(page: Page): Promise<string[] | undefined> {
  const show = page.getByRole("button", { name: "Show as command", exact: true });
  if ((await show.count()) === 0) return undefined;
  await show.click();
  const code = page.getByRole("region", { name: "Shell commands" });
  const text = (await code.count()) === 0 ? "" : await code.textContent();
  await page.keyboard.press("Escape");
  return text ? text.split("\n") : [];
}

/** Checks whether a line of "Show as command" changes something, and is not a dry run. */
export const isChange = (line: string): boolean =>
  line.includes(" -X ") && !line.includes("dry_run=true");

/** Pastes lines of "Show as command" into a shell; returns the status and URL of each. */
export async function pasteCommands(
  lines: readonly string[],
  { control }: Pick<Tollgate, "control">,
  token: string,
): Promise<string[]> {
  // Only the status of each response is checked, not the output.
  const paste = [
    `export TOLLGATE=${control} TOLLGATE_TOKEN=${token}`,
    `curl() { command curl -o /dev/null -w '%{http_code} %{url}\\n' "$@"; }`,
    ...lines,
  ];
  return (await pasted(paste.join("\n"))).trim().split("\n");
}

/** Checks that the page shows its requests as commands, and that reads run when pasted. */
export async function commandFindings(
  { sendsNoRequests }: Listed,
  page: Page,
  tollgate: Tollgate,
  token: string,
): Promise<string[]> {
  const lines = await commandLines(page);
  if (lines === undefined) return ["has no “Show as command”"];
  const reading = lines.filter((line) => !isChange(line));
  if (reading.length === 0) return sendsNoRequests ? [] : ["shows no command"];
  const answered = await pasteCommands(reading, tollgate, token);
  const refused = answered.filter((answer) => !answer.startsWith("200 "));
  if (answered.length !== reading.length) refused.push(`${answered.length} answers`);
  return refused.map((answer) => `as a command: ${answer}`);
}
