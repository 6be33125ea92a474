// Against real servers on the loopback interface.

import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BODY_BYTES_MAX, call, gatewayOf, isMixed, isPrivate } from "./call";

let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((request, answer) => {
    switch (request.url) {
      case "/endless": {
        const piece = Buffer.alloc(1024 * 1024);
        const more = () => {
          while (!answer.destroyed && answer.write(piece));
        };
        answer.on("drain", more);
        return more();
      }
      case "/slow":
        return void answer.write("begun");
      case "/broken":
        answer.writeHead(200, { "content-length": "10" });
        answer.write("half");
        return void setTimeout(() => answer.destroy(), 50);
      default:
        answer.writeHead(404, { "x-request-id": "r1", "content-type": "text/plain" });
        return void request.pipe(answer);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalThis.location = new URL(origin) as unknown as Location;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const get = (path: string) => ({ method: "GET", url: `${origin}${path}`, headers: [] });

test("a response has status, headers, body and times", async () => {
  const request = {
    method: "POST",
    url: `${origin}/`,
    headers: [["x-a", "1"]] as const,
    body: { kind: "text", type: "text/plain", text: "hi" } as const,
  };
  const called = await call(request);
  if (!called.isAnswered) throw new Error(called.cause);
  expect(called.status).toBe(404);
  expect(called.headers).toContainEqual(["x-request-id", "r1"]);
  expect([await called.body.text(), called.end]).toEqual(["hi", "whole"]);
  expect(called.totalMs).toBeGreaterThanOrEqual(called.headMs);
});

test("an endless body stops at the limit", async () => {
  const called = await call(get("/endless"));
  if (!called.isAnswered) throw new Error(called.cause);
  expect([called.body.size, called.end]).toEqual([BODY_BYTES_MAX, "bound"]);
});

test("data received before Cancel is kept", async () => {
  const controller = new AbortController();
  const onBytes = () => controller.abort();
  const called = await call(get("/slow"), { signal: controller.signal, onBytes });
  if (!called.isAnswered) throw new Error(called.cause);
  expect([await called.body.text(), called.end]).toEqual(["begun", "cancelled"]);
});

test("a body that breaks off is kept as far as received", async () => {
  const called = await call(get("/broken"));
  expect(called).toMatchObject({ isAnswered: true, end: "broken" });
});

test("a missing response has a likely cause", async () => {
  const cause = async (...args: Parameters<typeof call>) => {
    const called = await call(...args);
    return called.isAnswered ? "answered" : called.cause;
  };
  expect(await cause({ ...get("/"), url: "http://127.0.0.1:1/" })).toBe("unreachable");
  expect(await cause({ ...get("/"), url: "no address" })).toBe("unsendable");
  expect(await cause({ ...get("/"), method: "TRACE" })).toBe("unsendable");
  expect(await cause({ ...get("/"), headers: [["a b", "1"]] })).toBe("unsendable");
  expect(await cause(get("/slow"), { signal: AbortSignal.abort() })).toBe("cancelled");
});

test("private and public addresses are distinguished", () => {
  const url = (text: string) => new URL(text);
  expect(isMixed(url("https://portal.example"), url("http://api.example"))).toBe(true);
  expect(isMixed(url("https://portal.example"), url("http://127.0.0.1:8080"))).toBe(false);
  expect(isMixed(url("http://portal.example"), url("http://api.example"))).toBe(false);
  for (const host of ["localhost", "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.20.0.1", "[::1]"]) {
    expect(isPrivate(host), host).toBe(true);
  }
  for (const host of ["api.example.com", "172.32.0.1", "8.8.8.8"]) {
    expect(isPrivate(host), host).toBe(false);
  }
});

test("a page calls the gateway with its own scheme, else the other", () => {
  const both = { http: "http://g", https: "https://g" };
  expect(gatewayOf(both, "http:")).toBe("http://g");
  expect(gatewayOf(both, "https:")).toBe("https://g");
  expect(gatewayOf({ http: "http://g" }, "https:")).toBe("http://g");
  expect(gatewayOf({}, "https:")).toBeUndefined();
});
