import { execFileSync } from "node:child_process";
import { beforeEach, expect, test } from "vitest";
import { asCurl, commandsOfPage, forgetCommands, note } from "./commands";

const ORIGIN = "http://127.0.0.1:9000";

beforeEach(forgetCommands);

interface Sent {
  body?: string;
  type?: string;
  headers?: Record<string, string>;
}

/** Records a request as `client.ts` does, and waits until its body is recorded too. */
async function sent(method: string, target: string, { body, type, headers }: Sent = {}) {
  const request = new Request(`${ORIGIN}${target}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": type ?? JSON_TYPE }) },
  });
  note(request, body === undefined ? undefined : new Blob([body]));
  await new Promise((resolve) => setTimeout(resolve, 5));
}

const JSON_TYPE = "application/json";

const lines = () => commandsOfPage().map((it) => asCurl(it));

/** Splits a line into words, as a shell does. */
function words(line: string): string[] {
  const input = `curl() { printf '%s\\0' "$@"; }\n${line}`;
  const env = {
    PATH: process.env["PATH"],
    TOLLGATE: ORIGIN,
    TOLLGATE_TOKEN: "tgp_1",
    SECRET: "s'1",
  };
  return execFileSync("bash", { input, env, encoding: "utf8" }).split("\0").slice(0, -1);
}

test("a line names method, token, body and address", async () => {
  await sent("POST", "/api/v1/applications", { body: '{"name":"till"}' });
  expect(lines()).toEqual([
    `curl -sS -X POST -H "Authorization: Bearer $TOLLGATE_TOKEN" ` +
      `-H 'Content-Type: application/json' --data-raw '{"name":"till"}' "$TOLLGATE/api/v1/applications"`,
  ]);
});

test("a line of a visitor needs no token", async () => {
  await sent("GET", "/api/v1/catalogue");
  const visitors = commandsOfPage().map((it) => asCurl(it, false));
  expect(visitors).toEqual([`curl -sS "$TOLLGATE/api/v1/catalogue"`]);
});

test.each([
  "it's",
  "costs $SECRET",
  "SECRET SECRET_",
  "@/etc/passwd",
  "a\u0003b\u007fc\u0085d",
  "$HOME `id` $(id)",
  'a "word"',
  "\\",
  "two\nlines",
  "!!",
  "日本 🚀",
])("a shell takes %j as it is", async (name) => {
  const body = JSON.stringify({ name });
  await sent("POST", "/api/v1/applications", { body });
  const [line] = lines();
  const sentBody = words(line ?? "").find((word) => word.startsWith("{")) ?? "";
  expect(JSON.parse(sentBody)).toEqual({ name });

  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
});

test("a query with shell syntax is only an address", async () => {
  const target = "/api/v1/apis?q=$(id)`id`$HOME!ssh'[1-3]{a,b}\\&limit=1";
  await sent("GET", target);
  const address = words(lines()[0] ?? "").at(-1) ?? "";
  expect(decodeURIComponent(address)).toBe(ORIGIN + target);
  // curl expands brackets and braces to several calls, and bash expands `!ssh` from its history.
  expect(address).not.toMatch(/[[\]{}!]/);
});

test("secrets are replaced by a shell variable", async () => {
  const secrets = {
    password: "hunter2",
    new_password: "hunter3",
    upstream: { credential: { header: { name: "X-Key", value: "hunter4" } } },
  };
  await sent("PUT", "/api/v1/session/password", { body: JSON.stringify(secrets) });
  const [line] = lines();
  expect(line).not.toContain("hunter");
  const sentBody = words(line ?? "").find((word) => word.startsWith("{")) ?? "";
  expect(JSON.parse(sentBody)).toMatchObject({
    password: "s'1",
    upstream: { credential: { header: { name: "X-Key", value: "s'1" } } },
  });
});

test("signing in is not recorded", async () => {
  await sent("POST", "/api/v1/session", { body: '{"name":"a","password":"hunter2"}' });
  expect(lines()).toEqual([]);
});

test("a document is shown as a file", async () => {
  const body = "<definitions/>";
  await sent("POST", "/api/v1/apis/import/wsdl", { body, type: "text/xml" });
  expect(lines()[0]).toContain("-H 'Content-Type: text/xml' --data-binary @FILE");
  const long = JSON.stringify({ description: "x".repeat(5_000) });
  await sent("POST", "/api/v1/applications", { body: long });
  expect(lines()[1]).toContain("--data-binary @FILE");
});

test("a change with If-Match is shown with it", async () => {
  const headers = { "if-match": '"5"' };
  await sent("PUT", "/api/v1/plans/pln_1", { body: "{}", headers });
  expect(words(lines()[0] ?? "")).toContain('If-Match: "5"');
});

test("repeated reads replace, changes add, and old lines are dropped", async () => {
  await sent("GET", "/api/v1/apis");
  await sent("DELETE", "/api/v1/keys/key_1");
  await sent("DELETE", "/api/v1/keys/key_1");
  await sent("GET", "/api/v1/apis");
  expect(commandsOfPage().map(({ method }) => method)).toEqual(["DELETE", "DELETE", "GET"]);
  for (let page = 0; page < 30; page += 1) await sent("GET", `/api/v1/apis?after=${page}`);
  expect(commandsOfPage()).toHaveLength(20);
});
