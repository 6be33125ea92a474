// Pages of other origins call a version with CORS, in Chromium: those of listed origins read every
// response, others none.

import { createServer } from "node:http";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { published } from "../support/apis";
import { type OddBackEnd, startOddBackEnd } from "../support/odd_upstream";
import { done } from "../support/seed";
import { stage } from "../support/stage";
import { type BackEnd, listening } from "../support/upstream";

const on = stage();
let odd: OddBackEnd;
/** Two servers of pages; browsers resolve every name in `localhost` to them. */
let shop: BackEnd;
let stranger: BackEnd;
let key = "";
/** URLs of operations, by the name of their API. */
const urls: Record<string, string> = {};

const nameOf = ({ url }: BackEnd, name: string): string => url.replace("127.0.0.1", name);

beforeAll(async () => {
  const page = "<!doctype html><title>Page</title><iframe sandbox='allow-scripts' srcdoc='-'>";
  const server = () =>
    listening(
      createServer((_, answer) => {
        answer.writeHead(200, { "content-type": "text/html" }).end(page);
      }),
    );
  [odd, shop, stranger] = await Promise.all([startOddBackEnd(), server(), server()]);
  const { tollgate } = on;
  const three = { name: "three", title: "Three", description: "" };
  const limits = [{ per: "subscription" as const, amount: 3, window: "hour" as const }];
  const body = { ...three, limits };
  await done(tollgate.administrator.api.POST("/api/v1/plans", { body }));
  const { api } = await tollgate.person("petra", "publisher");
  const dora = (await tollgate.person("dora", "developer")).api;
  const application = { name: "Shop", description: "" };
  const { id } = await done(dora.POST("/api/v1/applications", { body: application }));
  const params = { path: { application: id } };
  const path = "/api/v1/applications/{application}/keys";
  const made = await done(dora.POST(path, { params, body: { name: "page" } }));
  key = made.key ?? "";
  const origins = [shop.url, nameOf(shop, "shop.localhost")];
  for (const [name, plan, cors] of [
    ["Listed", "three", { origins, expose: ["X-Own"] }],
    ["Cookies", "unlimited", { origins, credentials: true }],
    ["Open", "unlimited", { origins: ["*"] }],
  ] as const) {
    const operations = ["GET", "PUT"].map((method) => ({ method, path: "/things" }));
    const draft = { operations, policies: { cors } };
    const made = await published(api, { name, upstream: odd.url, plans: [plan], draft });
    urls[name] = `${tollgate.gateway}${made.path}/things`;
    const subscription = { application: id, version: made.version, plan };
    await done(dora.POST("/api/v1/subscriptions", { body: subscription }));
  }
});
afterAll(() => Promise.all([odd, shop, stranger].map(({ stop }) => stop())));

/** What a page reads of a response. */
interface Read {
  status: number;
  body: string;
  fields: Record<string, string>;
}

/** Calls from a page; returns `undefined` if the browser keeps the response from the page. */
function call(from: Page | Frame, api: string, init: RequestInit = {}): Promise<Read | undefined> {
  return from.evaluate(
    async ([url, init]) => {
      try {
        const answer = await fetch(url, init);
        const fields = Object.fromEntries(answer.headers);
        return { status: answer.status, body: await answer.text(), fields };
      } catch {
        return undefined;
      }
    },
    [urls[api] ?? "", init] as const,
  );
}

async function pageAt(url: string): Promise<Page> {
  const { page } = await on.window();
  await page.goto(url);
  return page;
}

const withKey = (): RequestInit => ({ headers: { apikey: key } });

test("a page of a listed origin reads 200, 401 and 429, with their fields", async () => {
  // Browsers send the origin in lower case.
  const page = await pageAt(nameOf(shop, "SHOP.localhost"));
  const missing = await call(page, "Listed");
  expect(missing?.status).toBe(401);
  expect(missing?.body).toContain("authenticate.missing");
  expect(missing?.fields).toHaveProperty("www-authenticate");

  odd.seen.length = 0;
  const found = await call(page, "Listed", withKey());
  expect(found?.status).toBe(200);
  expect(found?.body).toContain("/things");
  expect(found?.fields).toMatchObject({ "x-own": "of the back end" });
  expect(found?.fields["ratelimit"]).toContain("r=2");
  expect(found?.fields).toHaveProperty("x-request-id");
  const headers = { apikey: key, "content-type": "application/json" };
  const put = await call(page, "Listed", { method: "PUT", headers, body: "{}" });
  expect(put?.status).toBe(200);
  // The back end gets neither preflights nor the origin.
  expect(odd.seen.map(({ method }) => method)).toEqual(["GET", "PUT"]);
  expect(odd.seen.some(({ headers }) => "origin" in headers)).toBe(false);

  expect((await call(page, "Listed", withKey()))?.status).toBe(200);
  const limited = await call(page, "Listed", withKey());
  expect(limited?.status).toBe(429);
  expect(limited?.body).toContain("admit.subscription");
  expect(limited?.fields).toHaveProperty("retry-after");
  expect(limited?.fields["ratelimit"]).toContain("r=0");

  // Neither a method nor a field that the version does not list reaches it.
  expect(await call(page, "Listed", { ...withKey(), method: "DELETE" })).toBeUndefined();
  const odder = { headers: { apikey: key, "x-odd": "1" } };
  expect(await call(page, "Listed", odder)).toBeUndefined();
});

test("pages of other origins and sandboxed ones read nothing", async () => {
  odd.seen.length = 0;
  const listed = await pageAt(shop.url);
  const sandboxed = listed.frames()[1];
  if (sandboxed === undefined) throw new Error("the page has a frame");
  expect(await sandboxed.evaluate(() => origin)).toBe("null");
  const others = [stranger.url, nameOf(shop, "shop.localhost.evil.localhost")];
  const pages = await Promise.all(others.map(pageAt));
  for (const from of [sandboxed, ...pages]) {
    for (const init of [{}, withKey()]) {
      for (const api of ["Listed", "Cookies"]) expect(await call(from, api, init)).toBeUndefined();
      const open = await call(from, "Open", init);
      expect(open?.status).toBe("headers" in init ? 200 : 401);
    }
  }
  expect(odd.seen.map(({ address }) => address)).toEqual(Array(3).fill("/things"));
});

test("cookies are sent, and the response is read, where the version allows them", async () => {
  const page = await pageAt(shop.url);
  await page.context().addCookies([{ name: "cart", value: "7", url: on.tollgate.gateway }]);
  odd.seen.length = 0;
  const included = { ...withKey(), credentials: "include" as const };
  expect((await call(page, "Cookies", included))?.status).toBe(200);
  expect(odd.seen.map(({ headers }) => headers.cookie)).toEqual(["cart=7"]);
  expect(await call(page, "Listed", included)).toBeUndefined();
  expect(await call(page, "Open", included)).toBeUndefined();
  expect((await call(page, "Open", withKey()))?.status).toBe(200);
});
