// Examples of a document are data in the code of every language: never a file name, an option, a
// variable or code. Hostile documents go through the same steps as on the page, up to the code; the
// real interpreters run it, and a server compares what arrives.

import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listed } from "../../../tests/support/listed";
import { call } from "../call";
import type { CallRequest, FormPart, SentBody } from "../call_request";
import { contents, operationOf } from "../document/operations";
import { keyOf } from "../document/parameters";
import { fill } from "../request";
import { curl } from "./curl";
import type { Language } from "./chosen_language";
import { languages } from "./languages";
import { ENVIRONMENT, INSTALLED, LIBCURL, canRun, runCode } from "./runners";
import { type Placeholder, snippetWith } from "./snippet";

const folder = mkdtempSync(join(tmpdir(), "hostile-"));
/** A local file, which no example may read. */
const PRIVATE = join(folder, "id_rsa");
/** A command that leaves a file behind if quoting fails. */
const touch = `touch ${join(folder, "touched")}`;

/** Texts with a special meaning in some language, shell or tool. */
const HOSTILE = [
  `@${PRIVATE}`,
  `<${PRIVATE}`,
  "@-",
  "-",
  `--output ${join(folder, "touched")}`,
  `x;type=text/html;filename=${PRIVATE}`,
  `@"${PRIVATE}";type=text/html`,
  `x=@${PRIVATE};y=z`,
  "$HOME ${HOME} $(id) $((1+1)) `id` ~ * ? $'\\x41' %PATH% $env:PATH",
  "#{1+1} ${process.env.HOME} {os.environ} {{7*7}} <?= 1 ?> {$call} %(HOME)s",
  "%s %d %n %41 %% \\x41 \\u0041 \\\\u0022 \\101 \\n \\",
  `'; ${touch}; '`,
  `"; ${touch}; "`,
  `'\\''; ${touch} #`,
  `\`; ${touch}; \``,
  `"""'''\`\`\`*/ // --%> ]]> </script> ?>`,
  `EOF\n${touch}\nEOF`,
  "[1-3]{a,b}[a-c:2]",
  "a\r\nX-Injected: 1\r\n\r\nGET /injected HTTP/1.1\r\n\r\n",
  `a\n.\n${touch}`,
  "a\nb\n!!\n!ssh !$",
  "a\u0000b\u0001c",
  `\u0003\n${touch}\n`,
  `\u001b[201~\n${touch}\n`,
  "a\tb\u007fc\u0085d",
  "\ufeffa\ufeffb\u2028c\u2029d\u202ee\u2066f",
  "é 日本 🐕 👩\u200d🚀",
  "../../a/..;/b?c#d&e=f+g h",
  "\ud800a\udc00",
  " ",
];

interface Seen {
  method: string | undefined;
  path: string;
  query: [string, string][];
  headers: [string, string][];
  body: string;
  /** The request target as received, byte by byte. */
  address: string;
  bytes: string;
}

let server: Server;
let origin: string;
let seen: Seen[] = [];

function seenOf({ method, url = "", rawHeaders }: IncomingMessage, body: Buffer): Seen {
  const { pathname, searchParams } = new URL(url, "http://server");
  const headers: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.push([(rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? ""]);
  }
  const query: [string, string][] = [...searchParams];
  const bytes = body.toString("latin1");
  return { method, path: pathname, query, headers, body: body.toString(), address: url, bytes };
}

beforeAll(async () => {
  writeFileSync(PRIVATE, "PRIVATE KEY");
  server = createServer((request, answer) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      seen.push(seenOf(request, Buffer.concat(pieces)));
      answer.end("answer");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalThis.location = new URL(origin) as unknown as Location;
});

afterAll(() => server.close());
beforeEach(() => {
  seen = [];
});

const KEY: Placeholder = { kind: "header", header: "apikey", prefix: "", variable: "KEY" };

interface Made {
  snippet: ReturnType<typeof snippetWith>;
  /** Values that HTTP cannot carry, by their parameters. */
  refused: ReadonlySet<string>;
}

const textBody = (text: string): SentBody => ({ kind: "text", type: "text/plain", text });

/** Builds a document that uses these values wherever it can have a value. */
function callWith(values: readonly string[], body: SentBody): Made {
  const places = ["path", "query", "header", "cookie"] as const;
  const parameters = values.flatMap((example, at) =>
    places.map((place) => ({ name: `${place}${at}`, in: place, required: true, example })),
  );
  parameters.push(
    ...values.map((name) => ({ name, in: "query" as const, required: true, example: "v" })),
  );
  parameters.push(
    ...values.map((name) => ({ name, in: "header" as const, required: true, example: "v" })),
  );
  const path = `/a${values.map((_, at) => `/p{path${at}}`).join("")}`;
  const document = { paths: { [path]: { patch: { parameters } } } };
  const [head] = contents(listed(document)).operations;
  if (head === undefined) throw new Error("no operation");
  const operation = operationOf(document, head);
  const typed = new Map(operation.parameters.map((it) => [keyOf(it), String(it.example)]));
  const { request, faults } = fill(document, origin, operation, { values: typed, body });
  return { snippet: snippetWith(request, [KEY]), refused: new Set(faults.keys()) };
}

/** Replaces lone surrogates, which have no bytes. */
const wellFormed = (value: string) => value.replaceAll(/\p{Surrogate}/gu, "\ufffd");

const encoded = (value: string) =>
  encodeURIComponent(wellFormed(value)).replaceAll(
    /[!'()*]/g,
    (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function expectData(call: Seen | undefined, values: readonly string[], body: string, made: Made) {
  expect(call?.method).toBe("PATCH");
  expect(call?.body).toBe(wellFormed(body));
  const inPath = call?.path.split("/p").slice(1).map(decodeURIComponent);
  expect(inPath).toEqual(values.map(wellFormed));
  const query = new Map(call?.query);
  const headers = new Map(call?.headers);
  expect(call?.headers.filter(([name]) => name === "apikey")).toEqual([
    ["apikey", ENVIRONMENT.KEY],
  ]);
  expect(headers.has("x-injected")).toBe(false);
  const cookies = (headers.get("cookie") ?? "").split("; ");
  for (const [at, value] of values.entries()) {
    expect(query.get(`query${at}`)).toBe(wellFormed(value));
    if (value.trim() !== "") expect(query.get(wellFormed(value))).toBe("v");
    expect(cookies).toContain(`cookie${at}=${encoded(value)}`);
    const isSendable = /^[ -~]*$/.test(value);
    expect(made.refused.has(`header header${at}`)).toBe(!isSendable);
    if (!isSendable) continue;
    expect(headers.get(`header${at}`)).toBe(value.trim());
  }
}

/** Only ASCII is sent as the same bytes in headers by every language. */
const isAscii = (value: string) => /^[\u0000-\u007f]*$/.test(value);

const names = Object.keys(languages) as Language[];

for (const language of names) {
  const isMissing = !canRun(language);
  const isNeeded = INSTALLED.includes(language) && process.env["TOLLGATE_REQUIRE_SERVICES"] === "1";
  test.skipIf(isMissing && !isNeeded)(`hostile examples are data in ${language}`, async () => {
    const joined = [`@${PRIVATE}`, ...HOSTILE].join("\n");
    const ascii = HOSTILE.filter(isAscii);
    // The beginning of a value means nothing to a compiler, but it does to curl and libcurl.
    const bodies = LIBCURL.includes(language) ? [joined, ...HOSTILE] : [joined];
    for (const body of bodies) {
      const values = body === joined ? ascii : [];
      const made = callWith(values, textBody(body));
      seen = [];
      await runCode(language, languages[language](made.snippet));
      expect(seen).toHaveLength(1);
      expectData(seen[0], values, body, made);
    }
    expect(readdirSync(folder)).toEqual(["id_rsa"]);
  });
}

/** Parses the fields of a form (RFC 7578) with a third-party parser. */
async function fieldsIn({ headers, body }: Seen): Promise<[string, string][]> {
  const type = new Map(headers).get("content-type") ?? "";
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const fields = [...form].map(async ([name, value]): Promise<[string, string]> => [
    name,
    typeof value === "string" ? value : `${value.name}: ${await value.text()}`,
  ]);
  return Promise.all(fields);
}

const text = (name: string, content: string, type?: string): FormPart => ({
  name,
  content,
  type,
  headers: [],
});

const fileOf = (name: string, content: BlobPart, type = "text/plain"): FormPart => ({
  name: "file",
  content: new File([content], name),
  type,
  headers: [],
});

test.each(HOSTILE)(
  "a form with %j as a name and as a value is sent by curl as it is",
  async (it) => {
    const parts = [
      text(it, "value of the name"),
      text("field", it),
      text("json", it, "application/json"),
      fileOf("my photo.txt", "chosen"),
    ];
    const { snippet } = callWith([], { kind: "form", parts });
    await runCode("curl", curl(snippet), filesIn(parts));
    expect(seen).toHaveLength(1);
    const [call] = seen;
    // The parser drops a byte order mark.
    const read = (text: string) => wellFormed(text).replace(/^\ufeff/, "");
    expect(call ? await fieldsIn(call) : []).toEqual([
      [read(it), "value of the name"],
      ["field", read(it)],
      ["json", read(it)],
      ["file", "my photo.txt: chosen"],
    ]);
  },
);

const filesIn = (parts: readonly FormPart[]): File[] =>
  parts.flatMap(({ content }) => (typeof content === "string" ? [] : [content]));

/** File names that a user may choose: options, standard input, quotes, wrappers of PHP. */
const FILES = ["-", "--help", `a"b\\c'd;type=x.txt`, "data:,x", "$(id).txt", "é 日本.bin"];
const BYTES = Uint8Array.from({ length: 256 }, (_, at) => at);

/** Languages that use the client's own form support, if the values allow it. */
const OWN_FORMS: readonly Language[] = ["curl", "python"];
const PLAIN_FORM = "a form of a text, JSON and a file";

/** Every kind of body, and parameters in every style that browsers can send. */
function requests(): Record<string, CallRequest> {
  const at = { method: "POST", url: `${origin}/a`, headers: [["X-Own", "b"]] as const };
  const parts = [
    text("name", "Rex & co"),
    text("meta", '{"a": "é"}', "application/json"),
    {
      ...text("lines", "a\r\nb", "text/plain; charset=utf-8"),
      headers: [["X-Part", "1"]] as const,
    },
    ...HOSTILE.flatMap((it) => [text(it, "v"), text("v", it), text("j", it, "application/json")]),
    ...FILES.map((name) => fileOf(name, BYTES, "image/png")),
  ];
  const styled = {
    ...at,
    method: "DELETE",
    url: `${origin}/a;x=1,2/.b.c/d?p=1%7C2&s=1%202&d%5Ba%5D=1&r=a/b:c@d!$%27()*,;=`,
  };
  const form = "n=a+%26+b&tags=1,2&deep%5Ba%5D=%C3%A9";
  const file = new File([BYTES], FILES[2] ?? "");
  const own = [
    ["X-Part", `a "b"; c\\d`],
    ["X-Other", "@e"],
  ] as const;
  const plain = [
    { ...text("name", "Rex"), headers: own },
    { ...text("meta", '{"a": "b;c"}', "application/json"), headers: own },
    fileOf("a.png", "b"),
  ];
  return {
    "a form with hostile names, values and files": { ...at, body: { kind: "form", parts } },
    [PLAIN_FORM]: { ...at, body: { kind: "form", parts: plain } },
    "a file": { ...at, body: { kind: "file", type: "application/octet-stream", file } },
    "a form in one line": {
      ...at,
      body: { kind: "text", type: "application/x-www-form-urlencoded", text: form },
    },
    "a text that is long": {
      ...at,
      body: { kind: "text", type: "application/json", text: `"${"é".repeat(300_000)}"` },
    },
    "parameters in their styles": styled,
  };
}

/** Returns a call as the back end receives it, with its random boundary as `B`. */
function wireOf({ method, address, headers, bytes }: Seen) {
  const all = new Map(headers);
  const type = all.get("content-type");
  const boundary = /boundary=(.*)$/.exec(type ?? "")?.[1];
  const withoutBoundary = (it: string) => (boundary ? it.replaceAll(boundary, "B") : it);
  return {
    method,
    address,
    own: all.get("x-own"),
    cookie: all.get("cookie"),
    type: withoutBoundary(type ?? ""),
    bytes: withoutBoundary(bytes),
  };
}

for (const language of names) {
  test.skipIf(!canRun(language))(`${language} sends the bytes that the page sends`, async () => {
    for (const [name, request] of Object.entries(requests())) {
      if (name === PLAIN_FORM && !OWN_FORMS.includes(language)) continue;
      seen = [];
      const headers = [...request.headers, ["cookie", "seen=a%20b; more=1"] as const];
      await call({ ...request, headers });
      const snippet = snippetWith({ ...request, headers }, []);
      const { body } = snippet;
      const files = body?.kind === "form" ? filesIn(body.parts) : [];
      if (body?.kind === "file") files.push(body.file);
      await runCode(language, languages[language](snippet), files);
      expect(seen, name).toHaveLength(2);
      const [page, code] = seen.map(wireOf);
      expect(code, name).toEqual(page);
    }
  });
}

test("a media type of the document stays a single header", async () => {
  for (const language of names.filter(canRun)) {
    seen = [];
    const type = "text/plain\r\nX-Injected: 1";
    const body: SentBody = { kind: "text", type, text: "a" };
    const parts = [{ ...text("a", "b", type), headers: [["X-A\r\nX-B", "1"]] as const }];
    const form: SentBody = { kind: "form", parts };
    // curl has its own form options.
    for (const it of language === "curl" ? [body, form] : [body]) {
      await runCode(language, languages[language](callWith([], it).snippet));
    }
    expect(seen).not.toEqual([]);
    for (const { headers, body } of seen) {
      expect(new Map(headers).has("x-injected"), language).toBe(false);
      expect(body).not.toMatch(/X-(Injected|B)/);
    }
  }
});

test("clients that support it send dot segments unchanged", async () => {
  for (const language of ["curl", "php", "go", "java"] as const) {
    if (!canRun(language)) continue;
    seen = [];
    const snippet = snippetWith({ method: "GET", url: `${origin}/a/../b/./c`, headers: [] }, []);
    await runCode(language, languages[language](snippet));
    expect(seen.map(({ address }) => address)).toEqual(["/a/../b/./c"]);
  }
});

test("a literal part of a path is a part of the address", async () => {
  const path = `/a b/[1-3]{a,b}/'$(id)'\`id\`/\r\n|^<>"é\u0000`;
  const url = `${origin}${path}/%41%`;
  await runCode("curl", curl(snippetWith({ method: "GET", url, headers: [] }, [])));
  expect(seen.map((it) => decodeURIComponent(it.path))).toEqual([`${path}/A%`]);
});

test("pasted text contains no terminal keys except newline", () => {
  const values = ["a\u0003b", "\u001b[201~", "a\tb", "a\u007fb", "a\u0085b", "a\u0000b", "\r\n"];
  for (const value of values) {
    const form = { kind: "form", parts: [text(value, value), fileOf(value, "")] } as const;
    for (const body of [textBody(value), form]) {
      const keys = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
      expect(curl(callWith([], body).snippet)).not.toMatch(keys);
    }
  }
  // bash before 5.0 replaces `!ssh` in a later line by the last such command.
  expect(curl(callWith([], textBody("a\n!ssh")).snippet)).not.toContain("!");
  expect(curl(callWith([], textBody('{\n  "text": "Hello!"\n}')).snippet)).toContain(
    "--data-raw '{\n",
  );
});
