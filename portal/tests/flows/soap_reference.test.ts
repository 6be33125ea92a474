// Operations of a SOAP service on their pages: the sample envelope succeeds, and a fault is shown
// as such; as REST, the same operation is a REST call.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settled } from "../support/browser";
import { hasNoSoapService, startSoapService } from "../support/soap_service";
import { trying } from "../support/trying";
import type { BackEnd } from "../support/upstream";

describe.skipIf(hasNoSoapService)("the shop", () => {
  const it = trying();
  let shop: BackEnd;

  beforeAll(async () => {
    shop = await startSoapService();
  });

  afterAll(() => shop.stop());

  test("the sample of a SOAP operation succeeds, and its fault is shown", async () => {
    const version = await it.shop(shop, "Soap", "soap");
    const { page, faults } = await it.stage.as(it.dora, [/status of 500/]);
    await page.goto(`/apis/${version}/reference/getOrder`);
    await settled(page);
    await page.getByText("http://shop.example/shop/getOrder").first().waitFor();
    const body = page.getByLabel("Body", { exact: true });
    const sample = await body.inputValue();
    expect(sample).toContain(">1</ns1:orderId>");

    const send = page.getByRole("button", { name: "Send", exact: true });
    await send.click();
    await page.getByText("200 OK", { exact: true }).waitFor();
    await page.getByText("<orders:reference>R-1</orders:reference>").waitFor();

    await body.fill(sample.replace(">1</ns1:orderId>", ">61</ns1:orderId>"));
    await send.click();
    await page.getByText("500 Internal Server Error", { exact: true }).waitFor();
    await page.getByText("no order 61", { exact: true }).waitFor();

    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "WSDL" }).click(),
    ]);
    expect(file.suggestedFilename()).toContain(".wsdl");
    expect(faults).toEqual([]);
  });

  test("as REST, it is called as REST", async () => {
    const version = await it.shop(shop, "Rest", "soap_to_rest");
    const { page, faults } = await it.stage.as(it.dora, [/status of 404/]);
    await page.goto(`/apis/${version}/reference/getOrder`);
    await settled(page);
    const send = page.getByRole("button", { name: "Send", exact: true });
    await page.getByLabel("orderId", { exact: true }).fill("7");
    await send.click();
    await page.getByText("200 OK", { exact: true }).waitFor();
    const answer = page.getByRole("region", { name: "Response body" });
    expect(await answer.textContent()).toContain("R-7");

    await page.getByLabel("orderId", { exact: true }).fill("61");
    await send.click();
    await page.getByText("404 Not Found", { exact: true }).waitFor();
    expect(await answer.textContent()).toContain("no order 61");
    expect(faults).toEqual([]);
  });
});
