import { expect, test } from "vitest";
import { listed } from "../../tests/support/listed";
import { contents, operationOf } from "./document/operations";
import { type Parameter, keyOf } from "./document/parameters";
import { provenBy } from "./call_request";
import { quotasOf, quotaWords } from "./quota";
import { jsonFault } from "./json_fault";
import { fill, isBrowsersOwn } from "./request";
import { parameterText, typedOf } from "./typed";

const ADDRESS = "http://gateway/petstore/1.0";

function filled(path: string, parameters: unknown[], values: Record<string, string>, more = {}) {
  const document = { paths: { [path]: { post: { parameters } } }, ...more };
  const [head] = contents(listed(document)).operations;
  if (head === undefined) throw new Error("no operation");
  const operation = operationOf(document, head);
  const inputs = { values: new Map(Object.entries(values)), body: undefined };
  return { operation, ...fill(document, ADDRESS, operation, inputs) };
}

function url(path: string, parameters: unknown[], values: Record<string, string>): string {
  return filled(path, parameters, values).request.url.slice(ADDRESS.length);
}

/** Schemas of the values in the tables below. */
const SCHEMAS = {
  string: { type: "string" },
  array: { type: "array", items: { type: "string" } },
  object: { type: "object" },
};

/** Serializes a value in a path, a query, a header or cookies. */
function written(where: string, overrides: object, value: unknown, name = "color"): string {
  const kind = Array.isArray(value) ? "array" : typeof value === "object" ? "object" : "string";
  const path = where === "path" ? `/x{${name}}` : "/x";
  const parameter = { name, in: where, schema: SCHEMAS[kind], ...overrides };
  const { request, faults } = filled(path, [parameter], { [`${where} ${name}`]: typedOf(value) });
  expect([...faults]).toEqual([]);
  const [, header] = request.headers[0] ?? [];
  return header ?? request.url.slice(`${ADDRESS}/x`.length);
}

const ARRAY = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

/** OpenAPI 3.0.4 and 3.1.1, "Style Examples": empty string, string, array, object. */
test.each([
  [
    "path",
    "matrix",
    false,
    ";color",
    ";color=blue",
    ";color=blue,black,brown",
    ";color=R,100,G,200,B,150",
  ],
  [
    "path",
    "matrix",
    true,
    ";color",
    ";color=blue",
    ";color=blue;color=black;color=brown",
    ";R=100;G=200;B=150",
  ],
  ["path", "label", false, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
  ["path", "label", true, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
  ["path", "simple", false, undefined, "blue", "blue,black,brown", "R,100,G,200,B,150"],
  ["path", "simple", true, undefined, "blue", "blue,black,brown", "R=100,G=200,B=150"],
  ["header", "simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"],
  ["header", "simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"],
  [
    "query",
    "form",
    false,
    "?color=",
    "?color=blue",
    "?color=blue,black,brown",
    "?color=R,100,G,200,B,150",
  ],
  [
    "query",
    "form",
    true,
    "?color=",
    "?color=blue",
    "?color=blue&color=black&color=brown",
    "?R=100&G=200&B=150",
  ],
  [
    "cookie",
    "form",
    false,
    "color=",
    "color=blue",
    "color=blue,black,brown",
    "color=R,100,G,200,B,150",
  ],
  [
    "cookie",
    "form",
    true,
    "color=",
    "color=blue",
    "color=blue; color=black; color=brown",
    "R=100; G=200; B=150",
  ],
  [
    "query",
    "spaceDelimited",
    false,
    undefined,
    undefined,
    "?color=blue%20black%20brown",
    "?color=R%20100%20G%20200%20B%20150",
  ],
  [
    "query",
    "pipeDelimited",
    false,
    undefined,
    undefined,
    "?color=blue%7Cblack%7Cbrown",
    "?color=R%7C100%7CG%7C200%7CB%7C150",
  ],
  [
    "query",
    "spaceDelimited",
    true,
    undefined,
    undefined,
    "?color=blue&color=black&color=brown",
    "?R=100&G=200&B=150",
  ],
  [
    "query",
    "deepObject",
    true,
    undefined,
    undefined,
    undefined,
    "?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
  ],
])("%s, %s, explode %s", (where, style, explode, ...rows) => {
  const values = ["", "blue", ARRAY, OBJECT];
  for (const [at, expected] of rows.entries()) {
    if (expected === undefined) continue;
    expect(written(where, { style, explode }, values[at])).toBe(expected);
  }
});

/** RFC 6570, section 3.2, for expressions with an OpenAPI style. */
test("values are expanded as in the examples of RFC 6570", () => {
  const LIST = ["red", "green", "blue"];
  const KEYS = { semi: ";", dot: ".", comma: "," };
  const path = (style: string, explode: boolean, value: unknown, name = "list") =>
    written("path", { style, explode }, value, name);
  const query = (explode: boolean, value: unknown, name = "list", more = {}) =>
    written("query", { explode, ...more }, value, name);
  expect(path("simple", false, "Hello World!")).toBe("Hello%20World%21");
  expect(path("simple", false, "50%")).toBe("50%25");
  expect(path("simple", false, "/foo/bar")).toBe("%2Ffoo%2Fbar");
  expect(path("simple", false, LIST)).toBe("red,green,blue");
  expect(path("simple", false, KEYS)).toBe("semi,%3B,dot,.,comma,%2C");
  expect(path("simple", true, KEYS)).toBe("semi=%3B,dot=.,comma=%2C");
  expect(path("label", false, "fred")).toBe(".fred");
  expect(path("label", false, LIST)).toBe(".red,green,blue");
  expect(path("label", true, LIST)).toBe(".red.green.blue");
  expect(path("label", false, KEYS)).toBe(".semi,%3B,dot,.,comma,%2C");
  expect(path("label", true, KEYS)).toBe(".semi=%3B.dot=..comma=%2C");
  expect(path("matrix", false, "1024", "x")).toBe(";x=1024");
  expect(path("matrix", false, "", "empty")).toBe(";empty");
  expect(path("matrix", false, LIST)).toBe(";list=red,green,blue");
  expect(path("matrix", true, LIST)).toBe(";list=red;list=green;list=blue");
  expect(path("matrix", false, KEYS, "keys")).toBe(";keys=semi,%3B,dot,.,comma,%2C");
  expect(path("matrix", true, KEYS, "keys")).toBe(";semi=%3B;dot=.;comma=%2C");
  expect(query(false, "fred", "who")).toBe("?who=fred");
  expect(query(false, "50%", "half")).toBe("?half=50%25");
  expect(query(false, LIST)).toBe("?list=red,green,blue");
  expect(query(true, LIST)).toBe("?list=red&list=green&list=blue");
  expect(query(false, KEYS, "keys")).toBe("?keys=semi,%3B,dot,.,comma,%2C");
  expect(query(true, KEYS, "keys")).toBe("?semi=%3B&dot=.&comma=%2C");
  const reserved = { allowReserved: true };
  expect(query(false, "Hello World!", "hello", reserved)).toBe("?hello=Hello%20World!");
  expect(query(false, "50%", "half", reserved)).toBe("?half=50%25");
  expect(query(false, "/foo/bar", "path", reserved)).toBe("?path=/foo/bar");
  expect(query(false, KEYS, "keys", reserved)).toBe("?keys=semi,;,dot,.,comma,,");
});

test("reserved characters that end or split a query are always encoded", () => {
  const at = (where: string, value: string) => written(where, { allowReserved: true }, value);
  expect(at("query", "a&b=c#d+e[f]%2Fg%h")).toBe("?color=a%26b=c%23d%2Be%5Bf%5D%2Fg%25h");
  // OpenAPI 3.0 and 3.1 define it only for the query.
  expect(at("path", "a/b")).toBe("a%2Fb");
  expect(at("header", "a/b c")).toBe("a/b c");
});

test("a style that does not exist for a location is a fault, and the default is used", () => {
  const parameter = { name: "p", in: "path", style: "deepObject", schema: { type: "object" } };
  const { operation, request } = filled("/x{p}", [parameter], { "path p": '{"a":1}' });
  expect(operation.faults).toEqual([
    "The style deepObject of p does not exist for a path parameter; simple is used.",
  ]);
  expect(request.url).toBe(`${ADDRESS}/xa,1`);

  const typed = { name: "q", in: "query", style: "pipeDelimited", schema: { type: "integer" } };
  const other = filled("/x", [typed], { "query q": "1" });
  expect(other.operation.faults).toEqual([
    "The style pipeDelimited of q does not exist for the type integer; form is used.",
  ]);
  expect(other.request.url).toBe(`${ADDRESS}/x?q=1`);
});

test("values are read by their schema, also through references and combinations", () => {
  const components = {
    schemas: {
      Range: { allOf: [{ type: "object", properties: { from: {} } }] },
      Colours: { type: ["array", "null"], items: { type: "string" } },
    },
  };
  const at = (name: string, typed: string, more = {}) => {
    const schema = { $ref: `#/components/schemas/${name}` };
    const parameter = { name: "q", in: "query", schema, ...more };
    return filled("/", [parameter], { "query q": typed }, { components }).request.url.slice(
      `${ADDRESS}/`.length,
    );
  };
  expect(at("Range", '{"from":1,"to":null}')).toBe("?from=1");
  expect(at("Range", '{"a":{"b":[1,2]}}', { style: "deepObject" })).toBe(
    "?q%5Ba%5D%5Bb%5D=1&q%5Ba%5D%5Bb%5D=2",
  );
  expect(at("Colours", "a, b")).toBe("?q=a&q=b");
  expect(at("Colours", '["a, b", "c"]')).toBe("?q=a%2C%20b&q=c");
  expect(at("Colours", "[]")).toBe("");
  const content = { content: { "application/json": { schema: { type: "object" } } } };
  expect(url("/", [{ name: "q", in: "query", ...content }], { "query q": '{"a": 1}' })).toBe(
    "/?q=%7B%22a%22%3A%201%7D",
  );
});

test("a parameter described by JSON content starts as JSON and is sent as JSON", () => {
  const sent = (type: string, schema: object, example: unknown) => {
    const parameter = { name: "q", in: "query", content: { [type]: { schema, example } } };
    const [described] = filled("/", [parameter], {}).operation.parameters;
    if (described === undefined) throw new Error("no parameter");
    const typed = parameterText({}, described, described.example);
    return decodeURIComponent(url("/", [parameter], { "query q": typed }));
  };
  expect(sent("application/json", SCHEMAS.array, [1, 2])).toBe("/?q=[1,2]");
  expect(sent("application/json", SCHEMAS.object, { a: 1 })).toBe('/?q={"a":1}');
  expect(sent("application/json", SCHEMAS.object, '{"a":1}')).toBe('/?q={"a":1}');
  expect(sent("application/json", SCHEMAS.string, "a")).toBe('/?q="a"');
  expect(sent("text/plain", SCHEMAS.string, "a")).toBe("/?q=a");
});

test("values in the path are encoded whole", () => {
  expect(url("/pets/{pet}/x", [], { "path pet": "a/b ?ü" })).toBe("/pets/a%2Fb%20%3F%C3%BC/x");
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

test("a header value that clients would encode differently or reject is a fault", () => {
  const parameters = [{ name: "X-Name", in: "header", schema: { type: "string" } }];
  const fault = (value: string) =>
    filled("/", parameters, { "header X-Name": value }).faults.get("header X-Name");
  expect(fault("Rex ~!")).toBeUndefined();
  for (const value of ["é", "🐕", "a\nb", "a\u0000", "\u0080"]) {
    expect(fault(value), value).toMatch(/^The header X-Name can contain only printable ASCII/);
  }
});

test("missing required values and values that no URL can express are reported", () => {
  expect([...filled("/{pet}", [], {}).faults.keys()]).toEqual(["path pet"]);
  const two = filled("/{a}/{b}.{c}", [], { "path a": "x", "path b": "", "path c": "y" });
  expect([...two.faults.keys()]).toEqual(["path b"]);
  expect([
    ...filled("/{a}/{pet}/x", [], { "path a": "x", "path pet": ".." }).faults.keys(),
  ]).toEqual(["path pet"]);
  expect(filled("/{pet}", [], { "path pet": "..." }).faults.size).toBe(0);
});

test("headers set by browsers are recognized", () => {
  const is = (place: Parameter["in"], name: string) => isBrowsersOwn({ in: place, name });
  expect([is("header", "Host"), is("header", "Sec-X"), is("cookie", "a")]).toEqual([
    true,
    true,
    true,
  ]);
  expect([is("header", "X-Host"), is("query", "host")]).toEqual([false, false]);
  expect(keyOf({ in: "query", name: "a" })).toBe("query a");
});

test("a JSON fault has its position", () => {
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

test("the remaining quotas are formatted", () => {
  const words = (limit: string, policy: string) =>
    quotasOf([
      ["ratelimit", limit],
      ["RateLimit-Policy", policy],
    ]).map(quotaWords);
  const policy =
    '"api-day";q=9;w=86400, "subscription-minute";q=3000;w=60, ' +
    '"subscription-bytes-day";q=2048;qu="content-bytes";w=86400, ' +
    '"subscription-concurrent";q=20;qu="concurrent-requests"';
  expect(words('"subscription-minute";r=2999;t=12', policy)).toEqual([
    "2,999 of 3,000 left this minute",
  ]);
  expect(words('"subscription-minute";r=0;t=12', policy)[0]).toContain(
    "0 of 3,000 left this minute, ",
  );
  const each = '"api-day";r=5;t=9, "subscription-bytes-day";r=1024;t=9, ';
  expect(words(`${each}"subscription-concurrent";r=19`, policy)).toEqual([
    "5 of 9 left today",
    "1.0 KiB of 2.0 KiB left today",
    "19 of 20 at once left",
  ]);
  expect(words('"other";r=5;t=1', policy)).toEqual(["5 left"]);
  expect(words("nonsense", policy)).toEqual([]);
});

test("a credential replaces a parameter of the same name", () => {
  const headers = [
    ["apikey", "of the document"],
    ["x-own", "1"],
  ] as const;
  expect(provenBy(headers, [["ApiKey", "made"]])).toEqual([
    ["x-own", "1"],
    ["ApiKey", "made"],
  ]);
});

test("the rest of a path keeps its slashes, and may be empty only where the API allows it", () => {
  const rest = (sign: string, typed: string | undefined) => {
    const item = { post: { parameters: [] }, "x-tollgate-rest": sign };
    const document = { paths: { "/files/{path}": item } };
    const [head] = contents(listed(document)).operations;
    if (head === undefined) throw new Error("no operation");
    const operation = operationOf(document, head);
    const values = new Map(typed === undefined ? [] : [["path path", typed]]);
    const { request, faults } = fill(document, ADDRESS, operation, { values, body: undefined });
    return [request.url.slice(ADDRESS.length), ...faults.values()];
  };
  expect(rest("*", "a b/c?d//e%2F/")).toEqual(["/files/a%20b/c%3Fd//e%252F/"]);
  expect(rest("*", undefined)).toEqual(["/files/"]);
  expect(rest("+", undefined)).toEqual(["/files/", "path is required."]);
  expect(rest("*", "a/../b")).toHaveLength(2);
});
