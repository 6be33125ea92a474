// Try-it on an operation's page: every response is shown with all of its headers, and the
// credential is not shown anywhere.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { settled } from "../support/browser";
import { done } from "../support/seed";
import { trying } from "../support/trying";

const it = trying();

/** Browsers report responses of 400 and more as errors. */
const REFUSED = [/status of 4\d\d/, /status of 500/];

async function openOperation(page: Page, version: string, operation: string): Promise<void> {
  await page.goto(`/apis/${version}/reference/${operation}`);
  await settled(page);
}

/** Presses Send; returns the response headers by name. */
async function send(page: Page, status: string): Promise<Map<string, string>> {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(status, { exact: true }).waitFor();
  const details = page.locator("details", { hasText: "x-request-id" });
  await details.locator("summary").click();
  const names = await details.locator("dt").allInnerTexts();
  const values = await details.locator("dd").allInnerTexts();
  return new Map(names.map((name, at) => [name, values[at] ?? ""]));
}

async function choose(page: Page, label: RegExp, option: string | RegExp): Promise<void> {
  await page.getByRole("button", { name: label }).click();
  await page.getByRole("option", { name: option }).click();
}

test("200, 401, 403, 404 and 429 are shown with all headers", async () => {
  const plan = {
    name: "three",
    limits: [{ per: "subscription", amount: 3, window: "hour" }],
  } as const;
  await done(
    it.stage.tollgate.administrator.api.POST("/api/v1/plans", {
      body: { ...plan, title: "Three", description: "", limits: [...plan.limits] },
    }),
  );
  const api = await it.api("Odd", ["/things", "/missing"], {}, "three");
  const { page, faults } = await it.stage.as(it.dora, REFUSED);
  await openOperation(page, api.version, "get-things");

  const found = await send(page, "200 OK");
  expect(found.get("x-own")).toBe("of the back end");
  expect(found.get("ratelimit")).toContain("r=2");
  expect(found.has("x-request-id")).toBe(true);
  await page.getByText("2 of 3 left this hour").waitFor();

  await choose(page, / As$/, "without a credential");
  const missing = await send(page, "401 Unauthorized");
  expect(missing.has("www-authenticate")).toBe(true);
  await page.getByText("authenticate.missing", { exact: true }).waitFor();
  const explain = page.getByRole("link", { name: "What it means", exact: true });
  expect(await explain.getAttribute("href")).toContain("/explain?code=authenticate.missing");

  await choose(page, / As$/, /Shop/);
  await it.block(it.petra.api, api.subscription, "blocked");
  await send(page, "403 Forbidden");
  await page.getByText("authorize.subscription_blocked", { exact: true }).waitFor();
  await it.block(it.petra.api, api.subscription, "active");

  await openOperation(page, api.version, "get-missing");
  const none = await send(page, "404 Not Found");
  expect(none.get("x-own")).toBe("of the back end");
  await page.getByText('"no": 1').waitFor();

  await send(page, "404 Not Found");
  const limited = await send(page, "429 Too Many Requests");
  expect(limited.has("retry-after")).toBe(true);
  expect(limited.get("ratelimit")).toContain("r=0");
  await page.getByText("admit.subscription", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test("the credential is created once, and neither shown nor stored", async () => {
  const api = await it.api("Secret", ["/things"]);
  const { page, faults, apiCalls } = await it.stage.as(it.dora);
  const secrets = new Set<string>();
  page.on("request", (request) => {
    const key = request.headers()["apikey"];
    if (key) secrets.add(key);
  });
  await openOperation(page, api.version, "get-things");
  await send(page, "200 OK");
  await send(page, "200 OK");
  expect(apiCalls.filter((line) => line.endsWith("/try-it"))).toHaveLength(1);
  expect(secrets.size).toBe(1);
  const [secret = "?"] = secrets;
  await page.getByRole("button", { name: "Show as command" }).click();
  const everything = await page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
      location.href,
    ].join("\n"),
  );
  expect(everything).not.toContain(secret);
  const keys = await done(
    it.dora.api.GET("/api/v1/applications/{application}/keys", {
      params: { path: { application: it.application } },
    }),
  );
  expect(keys.items).toEqual([]);
  expect(faults).toEqual([]);
});

test("versions that accept only OAuth2 or only Basic are tried the same way", async () => {
  for (const [name, security, scheme] of [
    ["Tokens", { oauth2: {} }, "Bearer "],
    ["Users", { basic: {} }, "Basic "],
  ] as const) {
    const api = await it.api(name, ["/things"], { security });
    const { page, faults } = await it.stage.as(it.dora);
    const sent: string[] = [];
    page.on("request", (request) => {
      const { authorization } = request.headers();
      if (request.url().startsWith(it.stage.tollgate.gateway)) sent.push(authorization ?? "");
    });
    await openOperation(page, api.version, "get-things");
    await send(page, "200 OK");
    expect(sent.some((it) => it.startsWith(scheme))).toBe(true);
    expect(faults).toEqual([]);
  }
});

test("what the cache did is shown, and a fresh response can be asked for", async () => {
  const cached = { operations: ["GET /things"], cache: { ttl_s: 600 } };
  const policies = { operations: [cached] };
  const api = await it.api("Cached", ["/things", "/others"], { policies });
  const { page, faults } = await it.stage.as(it.dora);
  const fresh = page.getByText("Ask for a fresh response", { exact: true });
  await openOperation(page, api.version, "get-others");
  await send(page, "200 OK");
  expect(await page.getByText(/^cache: /).count()).toBe(0);
  expect(await fresh.count()).toBe(0);

  it.odd.seen.length = 0;
  await openOperation(page, api.version, "get-things");
  const sendTo = async (use: string, meaning: RegExp) => {
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText(use, { exact: true }).waitFor();
    await page.getByText(meaning).waitFor();
  };
  await sendTo("cache: miss", /^from the upstream, and stored$/);
  await sendTo("cache: hit", /^from the cache, .* old, fresh for another /);
  await fresh.click();
  await sendTo("cache: miss", /^from the upstream, and stored$/);
  await fresh.click();
  await sendTo("cache: hit", /^from the cache, /);
  expect(it.odd.seen.map(({ address }) => address)).toEqual(["/things", "/things"]);
  expect(it.odd.seen.filter(({ headers }) => "x-tollgate-try-it" in headers)).toEqual([]);
  // Others do not see it.
  const answer = await fetch(`${it.stage.tollgate.gateway}${api.path}/things`);
  expect(answer.headers.has("cache-status")).toBe(false);
  expect(faults).toEqual([]);
});

test("large, binary and endless responses are shown as far as they go", async () => {
  const api = await it.api("Large", ["/large", "/binary", "/endless"]);
  const { page, faults } = await it.stage.as(it.dora);
  await openOperation(page, api.version, "get-large");
  await send(page, "200 OK");
  await page.getByText("The first 128.0 KiB of 20.0 MiB are shown").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByText("The first 1.0 MiB of 20.0 MiB are shown").waitFor();
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  const [large] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(large.suggestedFilename()).toBe("get-large.json");

  await openOperation(page, api.version, "get-binary");
  await send(page, "200 OK");
  await page.getByText("image/png, 2.9 KiB: not shown as text.").waitFor();

  await openOperation(page, api.version, "get-endless");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(/so far$/).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText(/^Cancelled after/).waitFor();
  expect(faults).toEqual([]);
});

test("without a response, the likely cause and the curl command are shown", async () => {
  const api = await it.api("Away", ["/things"]);
  const { page, faults } = await it.stage.as(it.dora, [/ERR_CONNECTION_REFUSED/, /ERR_FAILED/]);
  await openOperation(page, api.version, "get-things");
  await page.route(`${it.stage.tollgate.gateway}/**`, (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("No response").waitFor();
  await page.getByText('-H "apikey: $KEY"').first().waitFor();
  expect(faults).toEqual([]);
});

test("a user without a subscription gets a link to subscribe", async () => {
  const api = await it.api("Lonely", ["/things"]);
  const lone = await it.stage.tollgate.person("lone", "developer");
  const { page, faults } = await it.stage.as(lone);
  await openOperation(page, api.version, "get-things");
  await page.getByRole("link", { name: "Get a key" }).click();
  await page.waitForURL(`**/apis/${api.version}`);
  expect(faults).toEqual([]);
});

test("forms are filled in by field, files by choosing them", async () => {
  const form = (type: string) => ({
    operationId: type === "multipart/form-data" ? "upload" : "sign",
    requestBody: {
      content: {
        [type]: {
          schema: {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: "string" },
              photo: { type: "string", format: "binary" },
            },
          },
        },
      },
    },
    responses: { 200: { description: "What came" } },
  });
  const { version } = await it.described("Forms", {
    openapi: "3.0.3",
    info: { title: "Forms", version: "1.0" },
    paths: {
      "/upload": { post: form("multipart/form-data") },
      "/sign": { post: form("application/x-www-form-urlencoded") },
    },
  });
  const { page, faults } = await it.stage.as(it.dora);
  const tryIt = page.getByRole("form", { name: "Try it" });
  const answer = page.getByRole("region", { name: "Response body" });

  await openOperation(page, version, "post-upload");
  await tryIt.getByLabel("name", { exact: true }).fill("");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("name is required.").waitFor();
  await tryIt.getByLabel("name", { exact: true }).fill("Rex & co");
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    tryIt.getByRole("button", { name: "Choose a file: photo (optional)" }).click(),
  ]);
  const buffer = Buffer.from("the bytes of a dog");
  await chooser.setFiles({ name: "rex.txt", mimeType: "text/plain", buffer });
  await tryIt.getByText("rex.txt").waitFor();
  await page.getByText(`-F 'photo=@"rex.txt";type=text/plain'`).waitFor();
  await send(page, "200 OK");
  const came = (await answer.textContent()) ?? "";
  for (const part of ["Rex & co", "rex.txt", "text/plain", "the bytes of a dog"]) {
    expect(came).toContain(part);
  }

  await openOperation(page, version, "post-sign");
  await tryIt.getByLabel("name", { exact: true }).fill("Rex & co");
  await tryIt.getByLabel("photo (optional)").fill("");
  await send(page, "200 OK");
  expect(await answer.textContent()).toContain('"name=Rex+%26+co"');
  expect(faults).toEqual([]);
});
