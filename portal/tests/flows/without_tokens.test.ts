// An API that accepts only access tokens, on an installation that issues none: publishing requires
// a confirmation, and a new client is shown why it cannot call.

import { expect, test } from "vitest";
import { asPerson, publisherStage } from "../support/publisher";
import { ORDERS } from "../support/documents";

const it = publisherStage();

const SCHEME = `
  securitySchemes:
    tokens: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://x", scopes: {} } } }
`;
const SECURED = ORDERS.replace(
  "\ncomponents:\n",
  `\nsecurity: [{ tokens: [] }]\ncomponents:${SCHEME}`,
);

test("an API that nobody can call is published only after confirmation, and clients see why", async () => {
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await page.goto("/publish/new");
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Choose a file" }).click();
      const buffer = Buffer.from(SECURED);
      await (await chooser).setFiles({ name: "o.yaml", mimeType: "application/yaml", buffer });
      await page.getByRole("radio", { name: /As in the document/ }).waitFor();
      await page.locator("label").filter({ hasText: "As in the document" }).click();
      await page.getByLabel("Address", { exact: true }).fill(it.backEnd.url);
      await page.locator("label").filter({ hasText: "Trial" }).click();
      const publish = page.getByRole("button", { name: "Publish", exact: true });
      await publish.click();
      await page.getByText("this installation issues none").waitFor();
      await page.getByText("Continue without access tokens").click();
      await publish.click();
      await page.getByRole("heading", { name: "Published" }).waitFor();

      await page.getByRole("button", { name: "Get a key" }).click();
      await page.getByText("This installation issues no access tokens").waitFor();
      await page.getByRole("button", { name: "Create client" }).click();
      await page.getByText("Client secret").first().waitFor();
      await page.getByText("This installation issues no access tokens").waitFor();
      expect(await page.getByRole("button", { name: "Send" }).count()).toBe(0);
    },
    [/status of 409/],
  );
});
