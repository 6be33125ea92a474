// The status page shows the listener of metrics, and when they were last read.

import { expect, test } from "vitest";
import { stage } from "../support/stage";

const on = stage();

test("the status page shows the address of metrics, and when they were last read", async () => {
  const metrics = new URL(on.tollgate.metrics ?? "");
  const { page, faults } = await on.as(on.tollgate.administrator);
  await page.goto("/admin");
  await page.getByRole("heading", { name: "Metrics" }).waitFor();
  await page.getByText(metrics.host, { exact: true }).waitFor();
  const never = page.getByText("none since startup", { exact: true });
  await never.waitFor();
  const read = await fetch(metrics);
  expect(await read.text()).toContain("tollgate_build_info{");
  await never.waitFor({ state: "hidden" });
  expect(faults).toEqual([]);
});
