// A changed draft is not served until it is deployed, and can be rolled back.

import { expect, test } from "vitest";
import { importOrders, publish } from "../support/seed";
import { asPerson, publisherStage } from "../support/publisher";

const it = publisherStage();

test("a change is shown, deployed, and rolled back", async () => {
  const { api } = it.petra;
  const { version } = await importOrders(api);
  await publish(api, version, it.backEnd.url);
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/security`);
    await page.getByLabel("API key header").fill("X-Key");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("1 change not deployed.").waitFor();
    await page.getByRole("button", { name: "Deploy" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Security: 1 difference").waitFor();
    const differing = dialog.getByRole("row", { name: /^Credentials/ });
    await differing.waitFor();
    expect(await differing.getByRole("cell").allInnerTexts()).toEqual([
      "API key in apikey",
      "API key in X-Key",
    ]);
    await dialog.getByLabel("Note").fill("another header");
    await dialog.getByRole("button", { name: "Deploy" }).click();
    await page.getByText("Revision 2 is served.").waitFor();
    expect(await page.getByText("not deployed").count()).toBe(0);

    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Roll back… to revision 1" }).click();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText("Revision 1 is served.", { exact: true }).waitFor();
    await page.getByText("1 change not deployed.").waitFor();
  });
});
