// A scope by approval: the publisher defines it and grants it to a subscription. It takes effect
// for the developer's calls until it is revoked.

import { expect, test } from "vitest";
import { published } from "../support/apis";
import { done } from "../support/seed";
import { stage, startKeyManager } from "../support/stage";
import { makePlans } from "../support/seed";

const on = stage(() => startKeyManager());

test("a scope by approval takes effect while it is granted", async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  const petra = await tollgate.person("petra", "publisher");
  const dora = await tollgate.person("dora", "developer");
  const draft = {
    security: { require: "any", oauth2: {}, scopes: { "things:all": { text: "All things" } } },
    operations: [{ method: "GET", path: "/things", scopes: ["things:all"] }],
  };
  const wanted = { name: "Vault", upstream: backEnd.url, plans: ["gold"], draft };
  const { version } = await published(petra.api, wanted);
  const application = await done(
    dora.api.POST("/api/v1/applications", { body: { name: "Shop front" } }),
  );
  const body = { application: application.id, version, plan: "gold" };
  await done(dora.api.POST("/api/v1/subscriptions", { body }));

  const { page, faults } = await on.as(petra);
  await page.goto(`/publish/versions/${version}/security`);
  await page.getByRole("button", { name: /Granted$/ }).click();
  await page.getByRole("option", { name: /^By approval/ }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved in the draft.").waitFor();
  await page.goto(`/publish/versions/${version}/subscriptions`);
  const dialog = page.getByRole("dialog");
  const granted = async () => {
    const list = await done(petra.api.GET("/api/v1/subscriptions"));
    return list.items[0]?.scopes;
  };
  await page.getByRole("button", { name: "Scopes of Shop front" }).click();
  await dialog.getByText("things:all", { exact: true }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The scopes of Shop front are saved.").waitFor();
  await page.getByRole("row", { name: "Shop front" }).getByText("things:all").waitFor();
  expect(await granted()).toEqual(["things:all"]);

  // It can be revoked even if the draft grants it freely again.
  await page.goto(`/publish/versions/${version}/security`);
  await page.getByRole("button", { name: /Granted$/ }).click();
  await page.getByRole("option", { name: /^Freely/ }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved in the draft.").waitFor();
  await page.goto(`/publish/versions/${version}/subscriptions`);
  await page.getByRole("button", { name: "Scopes of Shop front" }).click();
  await dialog.getByText("things:all", { exact: true }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The scopes of Shop front are saved.").waitFor();
  expect(await granted()).toEqual([]);
  expect(faults).toEqual([]);
});
