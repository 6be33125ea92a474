// A SOAP operation from its page: its sample envelope is answered, and a fault is shown as one. The
// same operation as REST: JSON there and back, and the fault as a problem.

import { expect, test } from "vitest";
import { settled } from "../support/browser";
import { trying } from "../support/trying";

const it = trying();

test("the sample of a SOAP operation is answered, and its fault is shown", async () => {
  const version = await it.calculator();
  const { page, faults } = await it.stage.as(it.dora, [/status of 500/]);
  await page.goto(`/apis/${version}/reference`);
  await settled(page);
  await page.waitForURL("**/reference/Add");
  await page.getByText("urn:calculator/Add").first().waitFor();
  const body = page.getByLabel("Body", { exact: true });
  expect(await body.inputValue()).toContain("<ns1:a>1</ns1:a>");

  const send = page.getByRole("button", { name: "Send", exact: true });
  await send.click();
  await page.getByText("200 OK", { exact: true }).waitFor();
  await page.getByText(">2</sum>").waitFor();

  await body.fill((await body.inputValue()).replace(">1</ns1:a>", ">0</ns1:a>"));
  await send.click();
  await page.getByText("500 Internal Server Error", { exact: true }).waitFor();
  await page.getByText("a is 0", { exact: true }).waitFor();

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "WSDL" }).click(),
  ]);
  expect(file.suggestedFilename()).toContain(".wsdl");
  expect(faults).toEqual([]);
});

test("the same operation as REST is tried with JSON, and its fault is a problem", async () => {
  const version = await it.calculator("soap_to_rest");
  const { page, faults } = await it.stage.as(it.dora, [/status of 400/]);
  await page.goto(`/apis/${version}/reference`);
  await settled(page);
  await page.waitForURL("**/reference/post-Add");
  const body = page.getByRole("textbox", { name: "Body", exact: true });
  expect(JSON.parse(await body.inputValue())).toEqual({ a: 1, b: 1 });

  const send = page.getByRole("button", { name: "Send", exact: true });
  await send.click();
  await page.getByText("200 OK", { exact: true }).waitFor();
  await page.getByText('"sum": 2').waitFor();

  await body.fill('{ "a": 0, "b": 1 }');
  await send.click();
  await page.getByText("400 Bad Request", { exact: true }).waitFor();
  await page.getByText('"title": "a is 0"').waitFor();
  expect(faults).toEqual([]);
});
