// Each change on a page is a line of "Show as command", which repeats it when pasted; a line with
// an entity tag does nothing if the resource has changed since.

import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { settled } from "../support/browser";
import { commandLines, isChange, pasteCommands } from "../support/checks";
import { type World, seed } from "../support/seed";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";
import { make } from "../states";

const house = stage();
let world: World;

beforeAll(async () => {
  world = await seed(house.tollgate, house.backEnd.url);
});

/** Makes a change in a dialog, opened by one button and submitted by another. */
const inDialog =
  (opens: string, saves: string, edit: (dialog: Locator) => Promise<void>) =>
  async (page: Page) => {
    await page.getByRole("button", { name: opens, exact: true }).first().click();
    const dialog = page.getByRole("dialog");
    await edit(dialog);
    await dialog.getByRole("button", { name: saves, exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
  };

const describing = (dialog: Locator) => dialog.getByLabel("Description").fill("It's “$HOME”");

interface Change {
  kind: string;
  person: () => Person;
  at: () => string;
  make: (page: Page) => Promise<void>;
  /** The line, and the status of its response when pasted. */
  line: RegExp;
  status: number;
}

const CHANGES: readonly Change[] = [
  {
    kind: "an application",
    person: () => world.developer,
    at: () => `/applications/${world.made.application}`,
    make: inDialog("Edit…", "Save", describing),
    line: / -X PATCH .*\/api\/v1\/applications\//,
    status: 200,
  },
  {
    kind: "an API",
    person: () => world.publisher,
    at: () => `/publish/apis/${world.made.api}`,
    make: inDialog("Edit…", "Save", describing),
    line: / -X PATCH .*\/api\/v1\/apis\//,
    status: 200,
  },
  {
    kind: "a new key",
    person: () => world.developer,
    at: () => `/applications/${world.made.application}/keys`,
    make: async (page) => {
      await make("Create key", { Name: "another" })(page, world.made);
      await page.getByRole("button", { name: "I have copied it" }).click();
    },
    line: / -X POST .*\/keys"$/,
    status: 201,
  },
  {
    kind: "a revoked Basic user",
    person: () => world.developer,
    at: () => `/applications/${world.made.application}/basic-users`,
    make: inDialog("Revoke: old till", "Revoke", () => Promise.resolve()),
    line: / -X DELETE .*\/basic-users\//,
    status: 204,
  },
  {
    kind: "plans",
    person: () => world.publisher,
    at: () => `/publish/versions/${world.made.version}/plans`,
    make: async (page) => {
      await page.getByText("Business", { exact: true }).click();
      await page.getByRole("button", { name: "Save", exact: true }).click();
    },
    line: / -X PUT .*\/plans"$/,
    status: 200,
  },
  {
    kind: "a draft",
    person: () => world.publisher,
    at: () => `/publish/versions/${world.made.version}/security`,
    make: async (page) => {
      await page.getByLabel("API key header").fill("X-Key");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("1 change not deployed.").waitFor();
    },
    line: / -X PATCH .*If-Match: .*\/draft/,
    status: 412,
  },
  {
    kind: "a user",
    person: () => world.administrator,
    at: () => "/admin/users",
    make: inDialog("Change dora", "Save roles", (dialog) =>
      dialog.getByText("publisher", { exact: true }).click(),
    ),
    line: / -X PATCH .*\/api\/v1\/users\//,
    status: 200,
  },
];

test.each(CHANGES)("of $kind", async ({ person, at, make, line, status }) => {
  const { page, faults } = await house.as(person());
  await page.goto(at());
  await settled(page);
  await make(page);
  await settled(page);
  const changes = (await commandLines(page))?.filter(isChange) ?? [];
  expect(changes).toEqual([expect.stringMatching(line)]);
  const [answer] = await pasteCommands(changes, house.tollgate, person().token);
  expect(answer).toMatch(new RegExp(`^${status} `));
  expect(faults).toEqual([]);
});
