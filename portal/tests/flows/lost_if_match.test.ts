// Two users edit one draft: the one who saves last sees the other's change beside their own.

import { expect, test } from "vitest";
import { published } from "../support/apis";
import { change, done, importOrders } from "../support/seed";
import { asPerson, publisherStage } from "../support/publisher";

const it = publisherStage();

async function upstreamOf(version: string): Promise<string | undefined> {
  const params = { path: { version } };
  const draft = await done(it.petra.api.GET("/api/v1/versions/{version}/draft", { params }));
  return draft.upstream?.url;
}

test("theirs beside mine; keep mine, then take theirs", async () => {
  const { api } = it.petra;
  const { version } = await importOrders(api);
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      const address = page.getByLabel("Address", { exact: true }).first();
      const save = page.getByRole("button", { name: "Save", exact: true });
      await page.goto(`/publish/versions/${version}/upstream`);
      await address.fill("http://127.0.0.1:7001");
      await change(api, version, { upstream: { url: "http://127.0.0.1:7002" } });
      await save.click();
      const dialog = page.getByRole("dialog");
      const row = dialog.getByRole("row", { name: "upstream.url" });
      await row.getByText("http://127.0.0.1:7002").waitFor();
      await row.getByText("http://127.0.0.1:7001").waitFor();
      await dialog.getByRole("button", { name: "Keep mine" }).click();
      await page.getByText("Saved in the draft").waitFor();
      expect(await upstreamOf(version)).toBe("http://127.0.0.1:7001");

      await address.fill("http://127.0.0.1:7003");
      await change(api, version, { upstream: { url: "http://127.0.0.1:7004" } });
      await save.click();
      await dialog.getByRole("button", { name: "Take theirs" }).click();
      expect(await address.inputValue()).toBe("http://127.0.0.1:7004");
      expect(await upstreamOf(version)).toBe("http://127.0.0.1:7004");
    },
    [/status of 412/],
  );
});

test("changes to different parts do not conflict", async () => {
  const { api } = it.petra;
  const { version } = await published(api, {
    name: "Parcels",
    upstream: it.backEnd.url,
    plans: ["business"],
  });
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await page.goto(`/publish/versions/${version}/upstream`);
      await page.getByLabel("Address", { exact: true }).first().fill("http://127.0.0.1:7005");
      await change(api, version, { limits: [{ per: "api", amount: 9, window: "day" }] });
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved in the draft").waitFor();
      expect(await upstreamOf(version)).toBe("http://127.0.0.1:7005");
    },
    [/status of 412/],
  );
});
