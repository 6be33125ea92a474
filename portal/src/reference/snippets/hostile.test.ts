// Examples of a document are data in the code of every language: never a file name, an option, a
// variable or code. What a hostile document gives goes the way of the page, from the document to
// the code; the real interpreters run it, and a server compares what arrives.

import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listed } from "../../../tests/support/listed";
import { contents, keyOf, operationOf } from "../document/operations";
import type { FilledBody } from "../form";
import { quoted } from "../../text/shell";
import { fill } from "../request";
import { curl } from "./curl";
import type { Language } from "./chosen_language";
import { languages } from "./languages";
import { ENVIRONMENT, INSTALLED, LIBCURL, canRun, runCode } from "./runners";
import { type Placeholder, snippetWith } from "./snippet";

const folder = mkdtempSync(join(tmpdir(), "hostile-"));
/** A file of the reader, which no example may name. */
const PRIVATE = join(folder, "id_rsa");
/** What a broken quotation would leave. */
const touch = `touch ${join(folder, "touched")}`;

/** Texts that some language, shell or tool reads as more than text. */
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
}

let server: Server;
let origin: string;
let seen: Seen[] = [];

function seenOf({ method, url, rawHeaders }: IncomingMessage, body: string): Seen {
  const { pathname, searchParams } = new URL(url ?? "", "http://server");
  const headers: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.push([(rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? ""]);
  }
  return { method, path: pathname, query: [...searchParams], headers, body };
}

beforeAll(async () => {
  writeFileSync(PRIVATE, "PRIVATE KEY");
  server = createServer((request, answer) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      seen.push(seenOf(request, Buffer.concat(pieces).toString()));
      answer.end("answer");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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

/** A document that gives these values for everything that it can give a value for. */
function callWith(values: readonly string[], body: FilledBody, type = "text/plain"): Made {
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
  const { request, faults } = fill(document, origin, operation, {
    values: typed,
    bodyType: type,
    body,
  });
  return { snippet: snippetWith(request, [KEY]), refused: new Set(faults.keys()) };
}

/** Lone halves of characters have no bytes; no machine keeps them. */
const wellFormed = (value: string) => value.replaceAll(/\p{Surrogate}/gu, "\ufffd");

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
    expect(cookies).toContain(`cookie${at}=${encodeURIComponent(wellFormed(value))}`);
    // HTTP has no way to send control characters in headers.

    const isSendable = !/[\u0000-\u001f\u007f]/.test(value);
    expect(made.refused.has(`header header${at}`)).toBe(!isSendable);
    if (!isSendable || /[^\u0020-\u007e]/.test(value)) continue;
    expect(headers.get(`header${at}`)).toBe(value.trim());
  }
}

/** Latin letters alone are the same bytes in the headers of every language. */
const isAscii = (value: string) => /^[\u0000-\u007f]*$/.test(value);

const names = Object.keys(languages) as Language[];

for (const language of names) {
  const isMissing = !canRun(language);
  const isNeeded = INSTALLED.includes(language) && process.env["TOLLGATE_REQUIRE_SERVICES"] === "1";
  test.skipIf(isMissing && !isNeeded)(`hostile examples are data in ${language}`, async () => {
    const joined = [`@${PRIVATE}`, ...HOSTILE].join("\n");
    const ascii = HOSTILE.filter(isAscii);
    // How a value begins is nothing to a compiler, but something to curl and to its library.
    const bodies = LIBCURL.includes(language) ? [joined, ...HOSTILE] : [joined];
    for (const body of bodies) {
      const values = body === joined ? ascii : [];
      const made = callWith(values, body);
      seen = [];
      await runCode(language, languages[language].write(made.snippet));
      expect(seen).toHaveLength(1);
      expectData(seen[0], values, body, made);
    }
    expect(readdirSync(folder)).toEqual(["id_rsa"]);
  });
}

/** The fields of a form as RFC 7578 has them, by a reader that is not ours. */
async function fieldsIn({ headers, body }: Seen): Promise<[string, string][]> {
  const type = new Map(headers).get("content-type") ?? "";
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const fields = [...form].map(async ([name, value]): Promise<[string, string]> => [
    name,
    typeof value === "string" ? value : `${value.name}: ${await value.text()}`,
  ]);
  return Promise.all(fields);
}

test.each(HOSTILE)(
  "a form with %j as a name and as a value is sent by curl as it is",
  async (it) => {
    const form = new FormData();
    form.append(it, "value of the name");
    form.append("field", it);
    form.append("file", new File(["what the reader has chosen"], "my photo.txt"));
    const { snippet } = callWith([], form, "multipart/form-data");
    await runCode("curl", `echo chosen > 'my photo.txt'\n${curl(snippet)}`);
    expect(seen).toHaveLength(1);
    const [call] = seen;
    // Ends of lines differ between browsers and curl; the reader drops a byte order mark.
    const lines = (text: string) =>
      wellFormed(text)
        .replaceAll(/\r\n|\n|\r/g, "\n")
        .replace(/^\ufeff/, "");
    const fields = call ? await fieldsIn(call) : [];
    expect(fields.map(([name, value]) => [lines(name), lines(value)])).toEqual([
      [lines(it), "value of the name"],
      ["field", lines(it)],
      ["file", "my photo.txt: chosen\n"],
    ]);
  },
);

test("a file's own name is neither an option nor standard input", async () => {
  for (const name of ["-", "--help", `a"b\\c'd;type=x.txt`]) {
    for (const field of ["file", "a=b"]) {
      const form = new FormData();
      form.append(field, new File(["chosen"], name));
      seen = [];
      const make = `printf chosen > ${quoted(`./${name}`)}`;
      await runCode("curl", `${make}\n${curl(callWith([], form, "multipart/form-data").snippet)}`);
      expect(seen[0]?.body).toContain("\r\n\r\nchosen\r\n");
    }
  }
});

test("a literal part of a path is a part of the address", async () => {
  const path = `/a b/[1-3]{a,b}/'$(id)'\`id\`/\r\n|^<>"é\u0000`;
  const url = `${origin}${path}/%41%`;
  await runCode("curl", curl(snippetWith({ method: "GET", url, headers: [] }, [])));
  expect(seen.map((it) => decodeURIComponent(it.path))).toEqual([`${path}/A%`]);
});

test("what is pasted into a terminal holds no key but the end of a line", () => {
  const values = ["a\u0003b", "\u001b[201~", "a\tb", "a\u007fb", "a\u0085b", "a\u0000b", "\r\n"];
  for (const value of values) {
    const form = new FormData();
    form.append(value, value);
    form.append("file", new File([], value));
    for (const body of [value, form]) {
      const keys = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
      expect(curl(callWith([], body).snippet)).not.toMatch(keys);
    }
  }
  // bash before 5.0 takes `!ssh` in a later line for the last such command.
  expect(curl(callWith([], "a\n!ssh").snippet)).not.toContain("!");
  expect(curl(callWith([], '{\n  "text": "Hello!"\n}').snippet)).toContain("--data-raw '{\n");
});
