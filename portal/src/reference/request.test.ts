import { expect, test } from "vitest";
import { listed } from "../../tests/support/listed";
import { type Parameter, contents, keyOf, operationOf } from "./document/operations";
import { quotaOf, quotaWords } from "./quota";
import { jsonFault } from "./json_fault";
import { fill, isBrowsersOwn } from "./request";

const ADDRESS = "http://gateway/petstore/1.0";

function filled(path: string, parameters: unknown[], values: Record<string, string>) {
  const document = { paths: { [path]: { post: { parameters } } } };
  const [head] = contents(listed(document)).operations;
  if (head === undefined) throw new Error("no operation");
  const inputs = { values: new Map(Object.entries(values)), bodyType: undefined, body: "" };
  return fill(document, ADDRESS, operationOf(document, head), inputs);
}

function url(path: string, parameters: unknown[], values: Record<string, string>): string {
  return filled(path, parameters, values).request.url.slice(ADDRESS.length);
}

test("values in the path are encoded whole", () => {
  expect(url("/pets/{pet}/x", [], { "path pet": "a/b ?ü" })).toBe("/pets/a%2Fb%20%3F%C3%BC/x");
  const list = { name: "pet", in: "path", schema: { type: "array", items: {} } };
  expect(url("/pets/{pet}", [list], { "path pet": "a, b" })).toBe("/pets/a,b");
});

test("values in the query are written by their style", () => {
  const at = (more: object, value: string) =>
    url("/", [{ name: "q", in: "query", schema: { type: "array" }, ...more }], {
      "query q": value,
    });
  expect(at({}, "a b,c")).toBe("/?q=a%20b&q=c");
  expect(at({ explode: false }, "a,b")).toBe("/?q=a,b");
  expect(at({ style: "pipeDelimited", explode: false }, "a,b")).toBe("/?q=a%7Cb");
  const object = { schema: { type: "object" } };
  expect(at({ ...object, style: "deepObject" }, '{"a":1,"b":"x"}')).toBe("/?q%5Ba%5D=1&q%5Bb%5D=x");
  expect(at(object, '{"a":1}')).toBe("/?a=1");
  expect(at({ ...object, explode: false }, '{"a":1}')).toBe("/?q=a,1");
  expect(at({ schema: { type: "string" } }, "a,b&c")).toBe("/?q=a%2Cb%26c");
});

test("headers and cookies are headers", () => {
  const parameters = [
    { name: "X-Trace", in: "header", schema: { type: "string" } },
    { name: "seen", in: "cookie", schema: { type: "string" } },
    { name: "Authorization", in: "header", schema: { type: "string" } },
  ];
  const values = { "header X-Trace": "on", "cookie seen": "a b", "header Authorization": "no" };
  expect(filled("/", parameters, values).request.headers).toEqual([
    ["X-Trace", "on"],
    ["cookie", "seen=a%20b"],
  ]);
});

test("what is required and empty, and what no URL can say, is told", () => {
  expect([...filled("/{pet}", [], {}).faults.keys()]).toEqual(["path pet"]);
  expect([...filled("/{pet}/x", [], { "path pet": ".." }).faults.keys()]).toEqual(["path pet"]);
  expect(filled("/{pet}", [], { "path pet": "..." }).faults.size).toBe(0);
});

test("what browsers set themselves is known", () => {
  const is = (place: Parameter["in"], name: string) => isBrowsersOwn({ in: place, name });
  expect([is("header", "Host"), is("header", "Sec-X"), is("cookie", "a")]).toEqual([
    true,
    true,
    true,
  ]);
  expect([is("header", "X-Host"), is("query", "host")]).toEqual([false, false]);
  expect(keyOf({ in: "query", name: "a" })).toBe("query a");
});

test("a fault of JSON has its place", () => {
  const at = (json: string) => {
    const fault = jsonFault(json);
    return fault && `${fault.line}:${fault.column} ${fault.expected}`;
  };
  for (const good of ['{"a": [1, -2.5e3, "x\\u00e9", null, true, {}], "b": []}', " 1 ", '""']) {
    expect(at(good), good).toBeUndefined();
  }
  expect(at('{\n  "a": x\n}')).toBe("2:8 value");
  expect(at('{"a" 1}')).toBe("1:6 colon");
  expect(at('{"a": 1')).toBe("1:8 commaOrEnd");
  expect(at('{"a": 1,}')).toBe("1:9 name");
  expect(at("[1 2]")).toBe("1:4 commaOrEnd");
  expect(at("[1,]")).toBe("1:4 value");
  expect(at("[01]")).toBe("1:3 commaOrEnd");
  expect(at('"a\nb"')).toBe("1:1 value");
  expect(at("{} {}")).toBe("1:4 end");
  expect(at("")).toBe("1:1 value");
  expect(at("[".repeat(100_000))).toBe("1:100001 value");
});

test("what is left of a limit is words", () => {
  const words = (limit: string, policy: string) => {
    const quota = quotaOf([
      ["ratelimit", limit],
      ["RateLimit-Policy", policy],
    ]);
    return quota && quotaWords(quota);
  };
  const policy = '"api-day";q=9;w=86400, "subscription-minute";q=3000;w=60';
  expect(words('"subscription-minute";r=2999;t=12', policy)).toBe(
    "2,999 of 3,000 left this minute",
  );
  expect(words('"subscription-minute";r=0;t=12', policy)).toContain(
    "0 of 3,000 left this minute, ",
  );
  expect(words('"other";r=5;t=1', policy)).toBe("5 left");
  expect(words("nonsense", policy)).toBeUndefined();
});
