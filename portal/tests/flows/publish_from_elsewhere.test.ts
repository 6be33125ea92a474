// Other sources of a published API: a URL, a pasted WSDL, a WSDL as SOAP, a WSDL as REST.

import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CALCULATOR, ORDERS } from "../support/documents";
import { asPerson, publisherStage } from "../support/publisher";
import { pasted } from "../support/shell";
import { hasNoSoapService, startSoapService, wsdlOf } from "../support/soap_service";
import { type BackEnd, listening } from "../support/upstream";

// Documents are fetched from loopback only if it is allowed.
const it = publisherStage("--control-fetch-allowed=127.0.0.1");
/** The server of the documents. */
let site: BackEnd;

beforeAll(async () => {
  const server = createServer((request, answer) => {
    const text = request.url === "/hidden" ? CALCULATOR : ORDERS;
    answer.writeHead(200, { "content-type": "text/plain" }).end(text);
  });
  site = await listening(server);
});

afterAll(() => site.stop());

async function fetchFrom(page: Page, url: string): Promise<void> {
  await page.goto("/publish/new");
  await page.getByLabel("Document URL").fill(url);
  await page.getByRole("button", { name: "Fetch" }).click();
}

async function publish(page: Page, name: string, upstream: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Context").fill(`/${name.toLowerCase()}`);
  await page.getByLabel("Address", { exact: true }).fill(upstream);
  await page.getByText("Trial", { exact: true }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("heading", { name: "Published" }).waitFor();
}

/** Gets a key on the page after publication. */
async function keyFrom(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Get a key" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  return (await page.getByRole("region", { name: "Your API key" }).textContent()) ?? "";
}

test("from a URL", async () => {
  await asPerson(it, it.petra, async ({ page }) => {
    await fetchFrom(page, `${site.url}/orders.yaml`);
    await publish(page, "Fetched", it.backEnd.url);
    const apikey = await keyFrom(page);
    const answer = await fetch(`${it.tollgate.gateway}/fetched/1.0/orders`, {
      headers: { apikey },
    });
    expect(answer.status).toBe(200);
  });
});

test("pasted: a WSDL, as REST", async () => {
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto("/publish/new");
    await page.getByLabel("Document", { exact: true }).fill(CALCULATOR);
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByText("REST over SOAP", { exact: true }).click();
    await publish(page, "Pasted", `${it.backEnd.url}/soap`);
    const shown = page.getByRole("region", { name: "First call", exact: true });
    const lines = (await shown.textContent()) ?? "";
    const apikey = await keyFrom(page);
    expect(await pasted(lines.replace("…", apikey))).toMatch(/^HTTP\/1\.1 200/);
    const answer = await fetch(`${it.tollgate.gateway}/pasted/1.0/Add`, {
      method: "POST",
      headers: { apikey, "content-type": "application/json" },
      body: '{"a":2,"b":3}',
    });
    expect(await answer.json()).toEqual({ sum: 5 });
  });
});

test("a WSDL with a query in the address of its service", async () => {
  await asPerson(it, it.petra, async ({ page }) => {
    const upstream = `${it.backEnd.url}/incident.do?SOAP`;
    await page.goto("/publish/new");
    const document = CALCULATOR.replace("http://127.0.0.1:1/soap", upstream);
    await page.getByLabel("Document", { exact: true }).fill(document);
    await page.getByRole("button", { name: "Read" }).click();
    const address = page.getByLabel("Address", { exact: true });
    await expect.poll(() => address.inputValue()).toBe(upstream);
    await publish(page, "Queried", upstream);
    await page.getByRole("link", { name: "Go to version" }).click();
    await page.getByRole("link", { name: "Upstream", exact: true }).click();
    await expect.poll(() => address.first().inputValue()).toBe(upstream);
  });
});

test("a WSDL behind an unusual address is detected by its content", async () => {
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await fetchFrom(page, `${site.url}/hidden`);
      await page.getByRole("radio", { name: "SOAP, unchanged" }).waitFor();
    },
    [/status of 422/],
  );
});

test("an unreachable address is reported, and nothing is created", async () => {
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await fetchFrom(page, "http://127.0.0.1:1/openapi.json");
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("button", { name: "Publish", exact: true }).count()).toBe(0);
    },
    [/status of 4\d\d/],
  );
});

const ENVELOPE = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<getOrder xmlns="http://shop.example/orders"><orderId>7</orderId></getOrder>
</soap:Body></soap:Envelope>`;

describe.skipIf(hasNoSoapService)("a WSDL that imports others", () => {
  let shop: BackEnd;

  beforeAll(async () => {
    shop = await startSoapService();
  });

  afterAll(() => shop.stop());

  test("as SOAP", async () => {
    await asPerson(it, it.petra, async ({ page }) => {
      await fetchFrom(page, wsdlOf(shop));
      await publish(page, "Soap", `${shop.url}/shop`);
      const apikey = await keyFrom(page);
      const answer = await fetch(`${it.tollgate.gateway}/soap/1.0`, {
        method: "POST",
        headers: {
          apikey,
          "content-type": "text/xml",
          soapaction: '"http://shop.example/shop/getOrder"',
        },
        body: ENVELOPE,
      });
      expect(await answer.text()).toContain("<orders:reference>R-7</orders:reference>");
    });
  });

  test("as REST", async () => {
    await asPerson(it, it.petra, async ({ page }) => {
      await fetchFrom(page, wsdlOf(shop));
      await page.getByText("REST over SOAP", { exact: true }).click();
      const shown = page.getByRole("listitem").filter({ hasText: "getOrder" }).last();
      const method = (await shown.locator("span > span").first().textContent()) ?? "";
      const path = (await shown.locator("code").first().textContent()) ?? "";
      await publish(page, "Rest", `${shop.url}/shop`);
      const apikey = await keyFrom(page);
      const call = (order: number) => {
        const target = path.replace("{orderId}", String(order));
        return fetch(`${it.tollgate.gateway}/rest/1.0${target}`, { method, headers: { apikey } });
      };
      const order = { reference: "R-7", customer: { name: "Customer 1" }, status: "in transit" };
      expect(await (await call(7)).json()).toMatchObject({ order });
      const missing = await call(61);
      expect(missing.status).toBe(404);
      expect(await missing.json()).toMatchObject({ title: "no order 61" });
    });
  });
});
