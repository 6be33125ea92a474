// A changed draft is not served until it is deployed, and can be rolled back. What changes has the
// words of the forms and one count, and nothing moves when it arrives.

import { expect, test } from "vitest";
import { published } from "../support/apis";
import { DESKTOP, PHONE } from "../support/browser";
import { fadedIn, hold, placesOf } from "../support/held";
import { change, importOrders, publish } from "../support/seed";
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
    // On a phone the label of a value may need two lines, and the next row begins below them.
    await page.setViewportSize(PHONE);
    const overflows = (cells: Element[]) =>
      cells.map((cell) => cell.scrollHeight - cell.clientHeight);
    expect(await differing.getByRole("cell").evaluateAll(overflows)).toEqual([0, 0]);
    await page.setViewportSize(DESKTOP);
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

test("differences have the forms' words and one count, and nothing moves when they arrive", async () => {
  const { api } = it.petra;
  const wanted = { name: "Parcels", upstream: it.backEnd.url, plans: ["business"] };
  const { api: id, version } = await published(api, wanted);
  await change(api, version, {
    policies: {
      cors: { origins: ["https://shop.example"] },
      cache: { ttl_s: 60 },
      request: [{ policy: "set_header", name: "x-a", value: "b" }],
    },
  });
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/apis/${id}`);
    await page.getByText("3 changes not deployed").waitFor();
    const release = await hold(page, "**/api/v1/versions/*/difference?*");
    await page.goto(`/publish/versions/${version}/plans`);
    await page.getByText("3 changes not deployed.").waitFor();
    await page.getByRole("button", { name: "Deploy" }).click();
    const dialog = page.getByRole("dialog");
    const deploy = dialog.getByRole("button", { name: "Deploy" });
    const places = () => placesOf(deploy, dialog.getByLabel("Note"));
    await deploy.waitFor();
    await fadedIn(dialog);
    expect(await deploy.isDisabled()).toBe(true);
    const before = await places();
    release();
    for (const group of ["Policies", "CORS", "Cache"]) {
      await dialog.getByText(`${group}: 1 difference`).waitFor();
    }
    await expect.poll(() => deploy.isEnabled()).toBe(true);
    expect(await places()).toEqual(before);

    await dialog.getByRole("link", { name: "See all differences" }).click();
    await page.getByText("3 differences", { exact: true }).waitFor();
    const cors = page.getByRole("table", { name: "CORS" }).getByRole("row");
    await cors.filter({ hasText: "Calls from browsers" }).waitFor();
    await page.getByRole("table", { name: "Cache" }).waitFor();
    await page.getByRole("table", { name: "Policies" }).getByText("Requests").waitFor();
  });
});
