// What holds on every page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What axe finds wrong, a line each. */
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

/** By how many pixels the page is wider than its window. */
export function sidewaysPixels(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}
