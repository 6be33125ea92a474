// Each refusal that can be provoked from outside: the gateway's response is pasted and explained.

import { once } from "node:events";
import { type Socket, connect, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalWords, type RefusalCode } from "../../src/text/en/refusals";
import { explainWords } from "../../src/text/en/explain";
import { published, publishedCalculator } from "../support/apis";
import { type Watched, open, signIn } from "../support/browser";
import { done, makePlans, move } from "../support/seed";
import { startMoody, startUnknown } from "../support/refusing_upstreams";
import { stage } from "../support/stage";
import { setStatus } from "../support/status";
import { type Api, type Person, Tollgate, freePort } from "../support/tollgate";
import { type BackEnd, listening } from "../support/upstream";

const CONNECTIONS_MAX = 64;
/**
 * Short, so that a slow client is refused soon; but an idle connection is closed after the head
 * timeout, and Node, running beside other tests, has been slower than 300 ms.
 */
const on = stage(() =>
  Tollgate.start(
    "--gateway-workers=1",
    `--gateway-connections-max=${CONNECTIONS_MAX}`,
    "--gateway-header-timeout-ms=2000",
    "--gateway-body-idle-timeout-ms=300",
    "--gateway-pool-wait-timeout-ms=100",
  ),
);
let rude: BackEnd;
let moody: BackEnd;
let unknown: BackEnd;
let publisher: Person;
let developer: Person;
let watched: Watched;
let caller: Caller;

/** Starts a back end that breaks off below `/broken`, and never responds below other paths. */
function startRude(): Promise<BackEnd> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      if (bytes.toString().includes("/broken")) socket.destroy();
    });
  });
  return listening(server);
}

/** An application with a key, and its subscriptions. */
interface Caller {
  application: string;
  key: string;
}

async function makeCaller(api: Api, name: string): Promise<Caller> {
  const { id } = await done(api.POST("/api/v1/applications", { body: { name } }));
  const params = { path: { application: id } };
  const path = "/api/v1/applications/{application}/keys";
  const { key } = await done(api.POST(path, { params, body: { name: "till" } }));
  return { application: id, key: key ?? "" };
}

interface Place {
  version: string;
  path: string;
  subscription: string;
}

let places = 0;

/** Creates an API that the caller is subscribed to under a plan. */
async function place(upstream: string, plan: string, draft: object = {}): Promise<Place> {
  places += 1;
  const name = `Place${places}`;
  const made = await published(publisher.api, { name, upstream, plans: [plan], draft });
  const body = { application: caller.application, version: made.version, plan };
  const { id } = await done(developer.api.POST("/api/v1/subscriptions", { body }));
  return { version: made.version, path: `${made.path}/things`, subscription: id };
}

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${on.tollgate.gateway}${path}`, { headers: { apikey: caller.key }, ...init });

function connected(ready: (socket: Socket) => void = () => undefined): Socket {
  const { hostname, port } = new URL(on.tollgate.gateway);
  const socket = connect(Number(port), hostname, () => ready(socket));
  return socket;
}

/** Returns the response to raw bytes that no HTTP library would send. */
function raw(request: string): Promise<string> {
  return answerOf((socket) => socket.end(request));
}

/** Returns the response to a request that stops in the middle. */
function begun(request: string): Promise<string> {
  return answerOf((socket) => socket.write(request));
}

function answerOf(send: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connected(send);
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString()));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

const textOf = async (answer: Promise<Response>) => (await answer).text();
const plan = (name: string, limit: object) =>
  done(
    on.tollgate.administrator.api.POST("/api/v1/plans", {
      body: { name, limits: [{ amount: 1, window: "day", per: "subscription", ...limit }] },
    }),
  );
const ONE_A_DAY = [{ amount: 1, window: "day" }];

async function block(subscription: string): Promise<void> {
  const params = { path: { subscription } };
  const path = "/api/v1/subscriptions/{subscription}";
  await done(publisher.api.PATCH(path, { params, body: { status: "blocked" } }));
}

/** Makes two calls, the second of which exceeds the limit. */
async function twice(path: string): Promise<string> {
  await (await call(path)).arrayBuffer();
  return textOf(call(path));
}

/** Publishes a SOAP service, as SOAP or as REST, and returns a function that calls it. */
async function sums(
  upstream: string,
  draft: object = {},
  kind: "soap" | "soap_to_rest" = "soap_to_rest",
): Promise<Sum> {
  places += 1;
  const wanted = { name: `Sum${places}`, upstream, plans: ["gold"], draft };
  const made = await publishedCalculator(publisher.api, wanted, kind);
  const body = { application: caller.application, version: made.version, plan: "gold" };
  await done(developer.api.POST("/api/v1/subscriptions", { body }));
  const type = kind === "soap" ? "text/xml" : "application/json";
  return (sent = '{"a":2,"b":3}', more = {}) => {
    const headers = { apikey: caller.key, "content-type": type, ...more };
    return textOf(call(made.path, { method: "POST", body: sent, headers }));
  };
}

/** Calls the service with this body and these headers; resolves to the response. */
type Sum = (body?: string, headers?: Record<string, string>) => Promise<string>;

/** By code, with the status if the code has several. */
const provocations: Record<string, () => Promise<string>> = {
  "listener.bad_request": () => raw("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
  "listener.target_too_long": () => raw(`GET /${"a".repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`),
  "listener.head_too_large": () =>
    raw(`GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${"a".repeat(200_000)}\r\n\r\n`),
  "listener.version": () => raw("GET / HTTP/3.0\r\nHost: a\r\n\r\n"),
  "listener.head_time": () => begun("GET / HTTP/1.1\r\nHost: a\r\n"),
  "listener.connections": async () => {
    const sockets = Array.from({ length: CONNECTIONS_MAX + 1 }, () => connected());
    const answer = await Promise.any(sockets.map((socket) => once(socket, "data")));
    sockets.forEach((socket) => socket.destroy());
    return String(answer);
  },
  "route.no_api": () => textOf(call("/nothing/1.0")),
  "route.no_operation 404": async () => {
    const { path } = await place(on.backEnd.url, "gold");
    return textOf(call(`${path}/nothing`));
  },
  "route.no_operation 405": async () => {
    const { path } = await place(on.backEnd.url, "gold");
    return textOf(call(path, { method: "DELETE" }));
  },
  "route.ambiguous": async () => {
    const operations = ["/menu", "/{rest*}"].map((path) => ({ method: "GET", path }));
    const { path } = await place(on.backEnd.url, "gold", { operations });
    return textOf(call(path.replace(/things$/, "/menu")));
  },
  "route.blocked": async () => {
    const { version, path } = await place(on.backEnd.url, "gold");
    await move(publisher.api, version, "blocked");
    return textOf(call(path));
  },
  "authenticate.missing": async () => {
    const { path } = await place(on.backEnd.url, "gold");
    return textOf(call(path, { headers: {} }));
  },
  "authenticate.invalid": async () => {
    const { path } = await place(on.backEnd.url, "gold");
    return textOf(call(path, { headers: { apikey: "tg_live_nothing" } }));
  },
  "authenticate.wrong_type": async () => {
    const { path } = await place(on.backEnd.url, "gold");
    return textOf(call(path, { headers: { authorization: `Basic ${btoa("till:secret")}` } }));
  },
  "authorize.not_subscribed": async () => {
    const { path, subscription } = await place(on.backEnd.url, "gold");
    const params = { path: { subscription } };
    await done(developer.api.DELETE("/api/v1/subscriptions/{subscription}", { params }));
    return textOf(call(path));
  },
  "authorize.subscription_blocked": async () => {
    const { path, subscription } = await place(on.backEnd.url, "gold");
    await block(subscription);
    return textOf(call(path));
  },
  "authorize.subscription_inactive": async () => {
    const { path, subscription } = await place(on.backEnd.url, "gold");
    await setStatus(on.tollgate, subscription, "rejected");
    return textOf(call(path));
  },
  "authorize.no_environment": async () => {
    const { path } = await place(on.backEnd.url, "gold");
    const params = { path: { application: caller.application } };
    const body = { name: "tests", environment: "sandbox" } as const;
    const keys = "/api/v1/applications/{application}/keys";
    const { key } = await done(developer.api.POST(keys, { params, body }));
    return textOf(call(path, { headers: { apikey: key ?? "" } }));
  },
  "authorize.scope": async () => {
    const { path } = await place(on.backEnd.url, "gold", {
      security: {
        require: "any",
        api_key: {},
        oauth2: {},
        scopes: { read: { text: "Read", granted: "freely" } },
      },
      operations: [{ method: "GET", path: "/things", scopes: ["read"] }],
    });
    return textOf(call(path));
  },
  "authorize.denied": async () => {
    const { path } = await place(on.backEnd.url, "gold");
    const params = { path: { application: caller.application } };
    const body = { name: "office", allowed: { addresses: ["192.0.2.0/24"], origins: [] } };
    const keys = "/api/v1/applications/{application}/keys";
    const { key } = await done(developer.api.POST(keys, { params, body }));
    return textOf(call(path, { headers: { apikey: key ?? "" } }));
  },
  "admit.api": async () => {
    const limits = ONE_A_DAY.map((limit) => ({ ...limit, per: "api" }));
    return twice((await place(on.backEnd.url, "gold", { limits })).path);
  },
  "admit.operation": async () => {
    const limits = ONE_A_DAY.map((limit) => ({ ...limit, per: "operation" }));
    const operations = [{ method: "GET", path: "/things", limits }];
    return twice((await place(on.backEnd.url, "gold", { operations })).path);
  },
  "admit.subscription": async () => {
    await plan("one", {});
    return twice((await place(on.backEnd.url, "one")).path);
  },
  "admit.subscription_burst": async () => {
    await plan("slow", { algorithm: { type: "gcra", burst: 1 } });
    return twice((await place(on.backEnd.url, "slow")).path);
  },
  "admit.application": async () => {
    await plan("one of all", { per: "application" });
    return twice((await place(on.backEnd.url, "one of all")).path);
  },
  "admit.application_burst": async () => {
    const algorithm = { type: "gcra", burst: 1 };
    await plan("slow for all", { per: "application", algorithm });
    return twice((await place(on.backEnd.url, "slow for all")).path);
  },
  "mediate.not_well_formed": async () => (await sums(on.backEnd.url, {}, "soap"))("<Envelope>"),
  "mediate.wrong_type": async () =>
    (await sums(on.backEnd.url))("a=2&b=3", { "content-type": "text/plain" }),
  "mediate.invalid_request": async () => (await sums(on.backEnd.url))('{"a":"two"}'),
  "mediate.not_acceptable": async () =>
    (await sums(on.backEnd.url))(undefined, { accept: "text/html" }),
  "mediate.body_too_large": async () => {
    const operations = [{ method: "POST", path: "/things" }];
    const draft = { body_bytes_max: 8, operations };
    const { path } = await place(on.backEnd.url, "gold", draft);
    return textOf(call(path, { method: "POST", body: "more than eight bytes" }));
  },
  "listener.body_time": async () => {
    const operations = [{ method: "POST", path: "/things" }];
    const { path } = await place(on.backEnd.url, "gold", { operations });
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\napikey: ${caller.key}\r\n`;
    return begun(`${head}Content-Length: 10\r\n\r\nhalf`);
  },
  "upstream.connect": async () => {
    const { path } = await place(`http://127.0.0.1:${await freePort()}`, "gold");
    return textOf(call(path));
  },
  "upstream.broken": async () => textOf(call((await place(`${rude.url}/broken`, "gold")).path)),
  "upstream.timeout": async () => {
    const upstream = { url: rude.url, first_byte_timeout_ms: 200 };
    return textOf(call((await place(rude.url, "gold", { upstream })).path));
  },
  "upstream.pool_timeout": async () => {
    const upstream = { url: rude.url, connections_max: 1 };
    const { path } = await place(rude.url, "gold", { upstream });
    const end = new AbortController();
    const held = call(path, { headers: { apikey: caller.key }, signal: end.signal });
    const answer = await textOf(call(path));
    end.abort();
    await held.catch(() => undefined);
    return answer;
  },
  "upstream.unavailable": async () => (await sums(`${moody.url}/503`))(),
  "upstream.denied": async () => (await sums(`${moody.url}/401`))(),
  "upstream.not_understood": async () => (await sums(`${moody.url}/200`))(),
  "upstream.too_large": async () => {
    const draft = { soap: { rest: { answers: { bytes_max: 100 } } } };
    return (await sums(`${on.backEnd.url}/soap`, draft))();
  },
  "upstream.certificate": async () => textOf(call((await place(unknown.url, "gold")).path)),
  // Must be last: it restarts the gateway with a setting that closes what was open before.
  "upstream.forbidden": async () => {
    const { path } = await place("http://127.0.0.2", "gold");
    await on.tollgate.halt();
    await on.tollgate.resume("--gateway-upstream-denied=127.0.0.2");
    return textOf(call(path));
  },
};

beforeAll(async () => {
  const { tollgate, browser } = on;
  rude = await startRude();
  [moody, unknown] = await Promise.all([startMoody(), startUnknown()]);
  await makePlans(tollgate.administrator);
  publisher = await tollgate.person("petra", "publisher");
  developer = await tollgate.person("dora", "developer");
  caller = await makeCaller(developer.api, "Shop");
  // One window for all of them: signing in takes longer than the test itself. A call that was
  // refused before its caller was known is nobody's, and is not found.
  watched = await open(browser, tollgate, {}, [/status of 404 .*\/usage\/calls\//]);
  await signIn(watched.page, developer);
});

afterAll(async () => {
  await Promise.all([rude.stop(), moody.stop(), unknown.stop()]);
});

for (const [provoked, provoke] of Object.entries(provocations)) {
  test(`${provoked} is explained`, async () => {
    const [code = "", status = ""] = provoked.split(" ");
    const answer = await provoke();
    expect(answer).toContain(code);
    expect(answer).toContain(status);
    const { page, faults } = watched;
    const { titles, blame } = refusalWords[code as RefusalCode];
    await page.goto(`/explain?application=${caller.application}`);
    await page.getByLabel(explainWords.paste).fill(answer);
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    await page.getByRole("heading", { name: Object.values(titles)[0] ?? "" }).waitFor();
    await page.getByText(explainWords.blame[blame], { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("code")).toBe(code);
    expect(faults).toEqual([]);
  });
}

test("a status alone lists possible refusals, and a revoked key is named", async () => {
  const { page } = watched;
  const params = { path: { application: caller.application } };
  const keys = "/api/v1/applications/{application}/keys";
  const made = await done(developer.api.POST(keys, { params, body: { name: "old laptop" } }));
  const key = { path: { key: made.id } };
  await done(developer.api.DELETE("/api/v1/keys/{key}", { params: key }));
  await page.goto(`/explain?application=${caller.application}`);
  await page.getByLabel(explainWords.paste).fill("401");
  await page.getByRole("button", { name: "Explain", exact: true }).click();
  await page.getByRole("link", { name: "The credential is not valid." }).click();
  await page.getByText("“old laptop” was revoked").waitFor();
});
