// The status page shows the listener of metrics, and when they were last read, and the access log.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

test("the status page shows the access log, and why it cannot be written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-log-"));
  const inner = join(folder, "inner");
  mkdirSync(inner);
  const file = join(inner, "access.log");
  await on.tollgate.halt();
  await on.tollgate.resume(`--access-log-file=${file}`);
  const { page, faults } = await on.as(on.tollgate.administrator);
  await page.goto("/admin");
  await page.getByRole("heading", { name: "Access log" }).waitFor();
  await page.getByText(file, { exact: true }).waitFor();
  const wait = async (isFailing: boolean) => {
    const { api } = on.tollgate.administrator;
    const failing = async () => (await api.GET("/api/v1/status")).data?.access_log?.problem;
    await expect.poll(failing, { timeout: 30_000 }).toSatisfy((it) => Boolean(it) === isFailing);
    await page.reload();
  };
  rmSync(inner, { recursive: true });
  await wait(true);
  const problem = page.getByText(
    /^The access log cannot be written, and lines are dropped: No such/,
  );
  await problem.waitFor();
  mkdirSync(inner);
  await fetch(`${on.tollgate.gateway}/nothing`);
  await wait(false);
  await problem.waitFor({ state: "hidden" });
  expect(faults).toEqual([]);
  rmSync(folder, { recursive: true });
});
