// The first page shows the first steps by role, until they are done.

import { expect, test } from "vitest";
import { published } from "../support/apis";
import { done, makePlans } from "../support/seed";
import { stage } from "../support/stage";

const on = stage();

test("publishers and developers see their first steps, then only the catalogue", async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  const steps = { name: "Getting started" };
  const root = await on.as(tollgate.administrator);
  await root.page.getByRole("heading", { name: "Create users" }).waitFor();
  await root.page.getByRole("heading", { name: "Publish your first API" }).waitFor();

  const petra = await tollgate.person("petra", "publisher");
  const dora = await tollgate.person("dora", "developer");
  const publisher = await on.as(petra);
  await publisher.page.getByRole("link", { name: "Publish an API" }).click();
  await publisher.page.waitForURL("**/publish/new");
  const developer = await on.as(dora);
  await developer.page.getByText("No API is published yet.").waitFor();

  await published(petra.api, { name: "Orders", upstream: backEnd.url, plans: ["gold"] });
  await developer.page.reload();
  await developer.page.getByText("Open one below").waitFor();
  await done(dora.api.POST("/api/v1/applications", { body: { name: "till" } }));
  for (const { page, faults } of [root, publisher, developer]) {
    await page.goto("/");
    await page.getByRole("link", { name: "Orders" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.getByRole("region", steps).count()).toBe(0);
    expect(faults).toEqual([]);
  }
});
