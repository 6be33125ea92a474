// A new installation: each list and overview, opened by somebody who has nothing, in the whole
// matrix (`make portal-check`).

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listed, addressOf, isBare, pages } from "./pages";
import { DESKTOP, PHONE, type Watched, open, settled, signIn } from "./support/browser";
import { axeFindings, headingFindings, sidewaysFindings } from "./support/checks";
import { type World, seedEmpty } from "./support/seed";
import { stage } from "./support/stage";
import type { Person } from "./support/tollgate";

const isWhole = process.env["TOLLGATE_PORTAL_MATRIX"] === "whole";

const ROLES = ["developer", "publisher", "administrator"] as const;
type Role = (typeof ROLES)[number];

const HAVE_ROWS = [
  // Whoever looks is in them, or looks with one of them.
  ...["access-tokens", "users"],
  // They hold what was made so that its tabs can be opened.
  ...["applications", "own-apis", "own-api"],
  // Figures, of which each is 0.
  ...["application", "application-usage", "own-version-usage"],
];

describe.runIf(isWhole)("with nothing", () => {
  const house = stage();
  let world: World;

  beforeAll(async () => {
    world = await seedEmpty(house.tollgate);
  });

  const seenBy = (row: Listed, role: Role) => row.role === role || row.isForAll === true;
  const looks = [
    { look: "light", viewport: DESKTOP },
    { look: "phone", viewport: PHONE },
  ];
  const visits = looks.flatMap((it) => ROLES.map((role) => ({ ...it, role })));

  describe.each(visits)("$role, $look", ({ role, viewport }) => {
    let watched: Watched;

    beforeAll(async () => {
      watched = await open(house.browser, house.tollgate, { viewport });
      const person: Person = role === "administrator" ? house.tollgate.administrator : world[role];
      await signIn(watched.page, person);
    });

    afterAll(() => watched.close());

    test.each(pages.filter((row) => isBare(row) && seenBy(row, role)))("$name", async (row) => {
      const { page, faults } = watched;
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
