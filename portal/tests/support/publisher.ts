// Set-up of publisher flows: plans, and petra, who publishes APIs and calls them.

import type { Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import type { Expected, Watched } from "./browser";
import { makePlans } from "./seed";
import { type Stage, stage } from "./stage";
import { type Person, Tollgate } from "./tollgate";

export type PublisherStage = Stage & { petra: Person };

/** Sets the stage for a test file; the binary is started with `flags`. */
export function publisherStage(...flags: string[]): PublisherStage {
  const set = Object.assign(
    stage(() => Tollgate.start(...flags)),
    { petra: {} as Person },
  );
  beforeAll(async () => {
    await makePlans(set.tollgate.administrator);
    set.petra = await set.tollgate.person("petra", "publisher", "developer");
  });
  return set;
}

/** Runs a flow in the person's own window, and checks that it had no faults. */
export async function asPerson(
  set: Stage,
  person: Person,
  flow: (watched: Watched) => Promise<void>,
  expected: Expected = [],
): Promise<void> {
  const watched = await set.as(person, expected);
  await flow(watched);
  expect(watched.faults).toEqual([]);
}

/** Deploys the draft as this revision. */
export async function deployDraft(page: Page, revision = 2): Promise<void> {
  await page.getByRole("button", { name: "Deploy" }).last().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByText(`Revision ${revision} is served.`, { exact: true }).waitFor();
}
