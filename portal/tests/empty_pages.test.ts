// A new installation: each list and overview, opened by a user without any data, in the whole
// matrix (`make portal-check`).

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listed, addressOf, isBare, pages } from "./pages";
import { DESKTOP, PHONE, type Watched, open, settled, signIn } from "./support/browser";
import { axeFindings, headingFindings, sidewaysFindings } from "./support/checks";
import { type EmptyWorld, seedEmpty } from "./support/seed";
import { stage } from "./support/stage";
import type { Person } from "./support/tollgate";

const isWhole = process.env["TOLLGATE_PORTAL_MATRIX"] === "whole";

const ROLES = ["developer", "publisher", "administrator"] as const;
type Role = (typeof ROLES)[number];

const HAVE_ROWS = [
  // They contain the user, or the user's own token.
  ...["access-tokens", "users"],
  // The application that was made, the plans of each installation, and its own state.
  ...["all-applications", "plans", "status"],
  // An API always has a first version.
  "own-api",
  // Totals, all of which are 0.
  ...["application", "application-usage", "own-version-usage", "own-api-usage"],
];

describe.runIf(isWhole)("with nothing", () => {
  const house = stage();
  let world: EmptyWorld;

  beforeAll(async () => {
    world = await seedEmpty(house.tollgate);
  });

  const seenBy = (row: Listed, role: Role) => row.role === role || row.isForAll === true;
  const looks = [
    { look: "light", options: { viewport: DESKTOP } },
    { look: "dark", options: { viewport: DESKTOP, colorScheme: "dark" } },
    { look: "phone", options: { viewport: PHONE } },
  ] as const;
  const visits = looks.flatMap((it) => ROLES.map((role) => ({ ...it, role })));

  describe.each(visits)("$role, $look", ({ role, options }) => {
    const windows = new Map<Person, Watched>();

    afterAll(() => Promise.all([...windows.values()].map(({ close }) => close())));

    async function windowOf(person: Person): Promise<Watched> {
      const known = windows.get(person);
      if (known) return known;
      const watched = await open(house.browser, house.tollgate, options);
      await signIn(watched.page, person);
      windows.set(person, watched);
      return watched;
    }

    test.each(pages.filter((row) => isBare(row) && seenBy(row, role)))("$name", async (row) => {
      const { page, faults } = await windowOf(world.opener(row, role));
      faults.length = 0;
      await page.goto(addressOf(row, world.made));
      await settled(page);
      const found = [
        ...(await headingFindings(page)),
        ...(await sidewaysFindings(page)),
        ...(await axeFindings(page)),
        ...faults,
      ];
      const rows = await page.locator("main tbody tr").count();
      if (!HAVE_ROWS.includes(row.name) && rows > 0) found.push(`${rows} rows of nothing`);
      expect(found).toEqual([]);
    });
  });
});
