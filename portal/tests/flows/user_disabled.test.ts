// A user is disabled while signed in: the open page requires signing in again, which is refused.

import { expect, test } from "vitest";
import { fillSignIn, open, signIn } from "../support/browser";
import { asPerson, publisherStage } from "../support/publisher";

const it = publisherStage();

test("a user is created, disabled while signed in, and enabled again", async () => {
  const { administrator } = it.tollgate;
  const theirs = await open(it.browser, it.tollgate, {}, [/status of 40[13]/]);
  await asPerson(it, administrator, async ({ page }) => {
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "Create user" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("dora");
    await dialog.getByRole("button", { name: "Create user" }).click();
    const shown = dialog.getByRole("region", { name: "One-time password" });
    const password = (await shown.textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    expect(await page.content()).not.toContain(password);

    const chosen = { name: "dora", password: "a sentence that nobody guesses" };
    await signIn(theirs.page, { name: "dora", password });
    await theirs.page.getByLabel("One-time password").fill(password);
    await theirs.page.getByLabel("New password").fill(chosen.password);
    await theirs.page.getByRole("button", { name: "Change and continue" }).click();
    await theirs.page.getByRole("heading", { name: "Catalogue" }).waitFor();

    await page.getByRole("button", { name: "Change dora" }).click();
    await dialog.getByRole("button", { name: "Disable…" }).click();
    await dialog.getByRole("button", { name: "Disable", exact: true }).click();
    await page.getByText("dora is disabled.").waitFor();

    await theirs.page.getByRole("link", { name: "Applications" }).click();
    await theirs.page.getByText("Your session has ended").waitFor();
    await fillSignIn(theirs.page, chosen);
    await theirs.page.getByRole("alert").waitFor();

    await page.getByRole("button", { name: "Change dora" }).click();
    await dialog.getByRole("button", { name: "Enable" }).click();
    await page.getByText("dora can sign in again.").waitFor();
    await fillSignIn(theirs.page, chosen);
    await theirs.page.getByRole("heading", { name: "Applications" }).waitFor();
  });
  await theirs.close();
});
