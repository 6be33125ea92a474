// The limits of a version and of its upstream, which all callers share.

import { expect, test } from "vitest";
import { published } from "../support/apis";
import { asPerson, deployDraft, publisherStage } from "../support/publisher";
import { done } from "../support/seed";

const it = publisherStage();

test("limits are added, rejected at their field, changed, removed, and deployed", async () => {
  const { api } = it.petra;
  const { version, path } = await published(api, {
    name: "Counter",
    upstream: it.backEnd.url,
    plans: ["business"],
    draft: { operations: [{ method: "GET", path: "/things", anonymous: true }] },
  });
  const call = async () => {
    const answer = await fetch(`${it.tollgate.gateway}${path}/things`);
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  const limits = async () => {
    const params = { path: { version } };
    return (await done(api.GET("/api/v1/versions/{version}/draft", { params }))).limits;
  };
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      const save = page.getByRole("button", { name: "Save", exact: true });
      const add = page.getByRole("button", { name: "Add limit" }).first();
      const limit = (number: number) => page.getByRole("group", { name: `Limit ${number}` });
      const choose = async (number: number, list: string, option: RegExp) => {
        await limit(number)
          .getByRole("button", { name: new RegExp(` ${list}$`) })
          .click();
        await page.getByRole("option", { name: option }).click();
      };
      await page.goto(`/publish/versions/${version}/limits`);
      await add.click();
      // The field of the new limit has the focus.
      await page.keyboard.type("2");
      await choose(1, "Unit", /^day$/);
      await limit(1).getByLabel("Time zone").fill("Europe/Nowhere");
      await add.click();
      await page.keyboard.type("5");
      await choose(2, "Counted", /^Evenly/);
      await save.click();
      await limit(1)
        .getByText(/is not a time zone of the IANA database/)
        .waitFor();
      await limit(2).getByText("A burst must be 1 to 1000000.").waitFor();
      await limit(1).getByLabel("Time zone").fill("Europe/Berlin");
      await choose(2, "Counted", /^By calendar/);
      await choose(2, "Unit", /^day$/);
      await limit(2).getByLabel("Time zone").fill("Europe/Berlin");
      await save.click();
      await limit(2).getByText("Another limit counts the same thing in the same window.").waitFor();
      await page.getByRole("button", { name: "Remove limit 2" }).click();
      expect(await add.evaluate((element) => element === document.activeElement)).toBe(true);
      await save.click();
      await page.getByText("Saved in the draft.").waitFor();
      const algorithm = { type: "fixed", zone: "Europe/Berlin" };
      expect(await limits()).toEqual([{ per: "api", amount: 2, window: "day", algorithm }]);

      await deployDraft(page);
      expect([await call(), await call(), await call()]).toEqual([
        [200, undefined],
        [200, undefined],
        [429, "admit.api"],
      ]);

      await page.getByRole("button", { name: "Remove limit 1" }).click();
      await save.click();
      await page.getByText("1 change not deployed.").waitFor();
      expect(await limits()).toBeUndefined();
    },
    [/status of 422/],
  );
});

test("limits of the upstream refuse with 503, and a value is tested once only", async () => {
  const { api } = it.petra;
  const { version, path } = await published(api, {
    name: "Backed",
    upstream: it.backEnd.url,
    plans: ["business"],
    draft: { operations: [{ method: "GET", path: "/things", anonymous: true }] },
  });
  const call = async () => {
    const answer = await fetch(`${it.tollgate.gateway}${path}/things`);
    const { code } = (await answer.json()) as { code?: string };
    return [answer.status, code, answer.headers.has("retry-after")];
  };
  await asPerson(it, it.petra, async ({ page }) => {
    const save = page.getByRole("button", { name: "Save", exact: true });
    await page.goto(`/publish/versions/${version}/limits`);
    const upstream = page.getByRole("region", { name: "Production" });
    await upstream.getByRole("button", { name: "Add limit" }).click();
    await page.keyboard.type("2");
    await upstream.getByRole("button", { name: / Unit$/ }).click();
    await page.getByRole("option", { name: "day", exact: true }).click();
    await upstream.getByText("At most 2 requests a day to the upstream.").waitFor();

    await page.getByRole("button", { name: "Add limit" }).first().click();
    await page.keyboard.type("1000");
    const limit = page.getByRole("group", { name: "Limit 1", exact: true }).first();
    await limit.getByText("Conditions and name").click();
    await limit.getByRole("button", { name: / Applies to$/ }).click();
    await page.getByRole("option", { name: /^Calls that pass tests/ }).click();
    for (const number of [1, 2]) {
      await limit.getByRole("button", { name: "Add test" }).click();
      const test = limit.getByRole("group", { name: `Test ${number}` });
      await test.getByRole("button", { name: / Test of$/ }).click();
      await page.getByRole("option", { name: "Header" }).click();
      await test.getByLabel("Name").fill("x-tier");
      await test.getByLabel("Values").fill(`free${number}`);
    }
    await save.click();
    const repeated = "Two tests are about the same value. Remove one of them.";
    await limit.getByRole("group", { name: "Test 2" }).getByText(repeated).waitFor();
    expect(await limit.getByLabel("Values").last().inputValue()).toBe("free2");
    await limit.getByRole("button", { name: "Remove test 2" }).click();
    await save.click();
    await page.getByText("Saved in the draft.").waitFor();
    await deployDraft(page);
  });
  expect([await call(), await call(), await call()]).toEqual([
    [200, undefined, false],
    [200, undefined, false],
    [503, "admit.upstream", true],
  ]);
});
