// An administrator changes a user: a new one-time password, and deletion, which is refused while
// the user owns something.

import { expect, test } from "vitest";
import { fillSignIn, open } from "../support/browser";
import { asPerson, publisherStage } from "../support/publisher";
import { done } from "../support/seed";

const it = publisherStage();
const NEW_PASSWORD = "another sentence that nobody guesses";

test("a one-time password replaces the password and must be changed", async () => {
  const dora = await it.tollgate.person("dora", "developer");
  const theirs = await open(it.browser, it.tollgate, {}, [/status of 401 /]);
  await asPerson(it, it.tollgate.administrator, async ({ page }) => {
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "Change dora" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Reset password" }).click();
    const shown = dialog.getByRole("region", { name: "One-time password" });
    const password = (await shown.textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("row", { name: "dora" }).getByText("must change password").waitFor();
    expect(await page.content()).not.toContain(password);

    await theirs.page.goto("/sign-in");
    await fillSignIn(theirs.page, dora);
    await theirs.page.getByRole("alert").waitFor();
    await fillSignIn(theirs.page, { name: "dora", password });
    await theirs.page.waitForURL("**/sign-in/password");
    await theirs.page.getByLabel("New password").fill(NEW_PASSWORD);
    await theirs.page.getByRole("button", { name: "Change and continue" }).click();
    await theirs.page.getByRole("heading", { name: "Catalogue" }).waitFor();
    const who = { authorization: `Bearer ${dora.token}` };
    const answer = await fetch(`${it.tollgate.control}/api/v1/applications`, { headers: who });
    expect(answer.status).toBe(401);
  });
  expect(theirs.faults).toEqual([]);
  await theirs.close();
});

test("a user who owns something cannot be deleted, others are deleted permanently", async () => {
  const { administrator } = it.tollgate;
  const dario = await it.tollgate.person("dario", "developer");
  const { id } = await done(
    dario.api.POST("/api/v1/applications", { body: { name: "Shop", description: "" } }),
  );
  await asPerson(
    it,
    administrator,
    async ({ page }) => {
      await page.goto("/admin/users");
      const dialog = page.getByRole("dialog");
      const askToDelete = async () => {
        await page.getByRole("button", { name: "Change dario" }).click();
        await dialog.getByRole("button", { name: "Delete…" }).click();
      };
      await askToDelete();
      await dialog.getByRole("alert").waitFor();
      expect(await dialog.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
      await dialog.getByRole("button", { name: "Close" }).last().click();

      const params = { path: { application: id } };
      await done(dario.api.DELETE("/api/v1/applications/{application}", { params }));
      await askToDelete();
      await dialog.locator("dd").first().waitFor();
      expect(await dialog.locator("dd").allTextContents()).toEqual(["0", "0", "0"]);
      const confirm = dialog.getByRole("button", { name: "Delete", exact: true });
      expect(await confirm.isDisabled()).toBe(true);
      await dialog.getByLabel("Type “dario” to confirm").fill("dario");
      await confirm.click();
      await page.getByText("dario is deleted.").waitFor();
      await page.getByRole("row", { name: "dario" }).waitFor({ state: "detached" });
    },
    [/status of 409 /],
  );
  const { items } = await done(administrator.api.GET("/api/v1/users"));
  expect(items.map(({ name }) => name)).not.toContain("dario");
});
