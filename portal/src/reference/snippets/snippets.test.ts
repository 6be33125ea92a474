// Every language sends the same call. Those installed on the machine are run, with texts that break
// faulty quoting.

import { execFile } from "node:child_process";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { curl } from "./curl";
import { javascript } from "./javascript";
import type { Language } from "./chosen_language";
import { languages } from "./languages";
import { type Placeholder, type Snippet, snippetWith } from "./snippet";

const run = promisify(execFile);
const NASTY = `it's "$HOME" \`id\` \\ $(id) \${HOME} %s é 🐕\nnext line\u2028end`;
const env = { PATH: process.env["PATH"], KEY: "k e'y", USER_NAME: "rex", PASSWORD: "p:w" };

let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((request, answer) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method, url, headers } = request;
      const body = Buffer.concat(pieces).toString();
      const { authorization, apikey } = headers;
      const type = headers["content-type"];
      answer.end(
        JSON.stringify({ method, url, authorization, apikey, type, custom: headers["x-a"], body }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => server.close());

const CREDENTIALS: readonly Placeholder[] = [
  { kind: "header", header: "apikey", prefix: "", variable: "KEY" },
  { kind: "basic" },
];

function nasty(credentials = CREDENTIALS): Snippet {
  const request = {
    method: "PATCH",
    url: `${origin}/pets/{x}?a[]=1&b='"$HOME`,
    headers: [["x-a", `'"$HOME\`id\``]] as const,
    body: { kind: "text", type: "text/plain", text: NASTY } as const,
  };
  return snippetWith(request, credentials);
}

const SEEN = {
  method: "PATCH",
  authorization: `Basic ${btoa("rex:p:w")}`,
  apikey: "k e'y",
  type: "text/plain",
  custom: `'"$HOME\`id\``,
  body: NASTY,
};

const received = (output: string): unknown =>
  JSON.parse(output.slice(output.lastIndexOf('{"method"')));

test("the curl command runs as shown", async () => {
  const { stdout } = await run("sh", ["-c", curl(nasty())], { env });
  expect(received(stdout)).toMatchObject(SEEN);
});

test("the JavaScript runs as shown", async () => {
  const { stdout } = await run("node", ["--input-type=module", "-e", javascript(nasty())], { env });
  expect(received(stdout)).toMatchObject(SEEN);
});

test("a header name cannot break out of quotes", async () => {
  const credentials = [{ kind: "header", header: "x$`id`'", prefix: "", variable: "KEY" }] as const;
  const { stdout } = await run("sh", ["-c", curl(nasty(credentials))], { env });
  expect(received(stdout)).toMatchObject({ method: "PATCH", body: NASTY });
});

test("every language names method, address, headers, body and the variable of the credential", () => {
  const snippet: Snippet = {
    method: "PUT",
    url: "https://api.example.com/pets/rex",
    headers: [["x-a", "1"]],
    body: { kind: "text", type: "text/plain", text: "text" },
    credentials: [
      { kind: "header", header: "authorization", prefix: "Bearer ", variable: "TOKEN" },
    ],
  };
  for (const name of Object.keys(languages) as Language[]) {
    const code = languages[name](snippet);
    for (const part of ["PUT", snippet.url, "x-a", "text", "TOKEN", "Bearer "]) {
      expect(code, name).toContain(part);
    }
    const plain = languages[name]({
      ...snippet,
      credentials: [],
      headers: [],
      body: undefined,
    });
    expect(plain, name).not.toContain("undefined");
    const basic = languages[name]({ ...snippet, credentials: [{ kind: "basic" }] });
    expect(basic, name).toContain("USER_NAME");
  }
});

test("headers and methods that a client treats specially", () => {
  const headers = [
    ["Host", "a.example"],
    ["content-language", "en"],
    ["X-A", "1"],
  ] as const;
  const plain = snippetWith({ method: "TRACE", url: "https://x/", headers }, []);
  const body = { kind: "text", type: "text/plain", text: "t" } as const;
  const withBody = snippetWith({ method: "PUT", url: "https://x/", headers, body }, []);
  expect(languages.go(plain)).toContain('\trequest.Host = "a.example"\n');
  expect(languages.go(plain)).not.toContain('Add("Host"');
  expect(languages.java(plain)).toContain("    // HttpClient does not allow the header Host.\n");
  expect(languages.java(plain)).not.toContain('"Host"');
  expect(languages.csharp(plain)).toContain("// HttpClient sends content-language only with");
  expect(languages.csharp(plain)).not.toContain('"content-language"');
  const code = languages.csharp(withBody);
  const line = 'request.Content.Headers.TryAddWithoutValidation("content-language", "en");';
  expect(code.indexOf(line)).toBeGreaterThan(code.indexOf("request.Content = "));
  expect(code).not.toContain('request.Headers.TryAddWithoutValidation("content-language"');
  expect(languages.javascript(plain)).toContain("// fetch refuses the method TRACE.\n");
  expect(languages.javascript(withBody)).not.toContain("// fetch");
});

test("C# concatenates the pieces of a form", () => {
  const file = new File([""], "a.png");
  const more = { type: undefined, headers: [] };
  const parts = [
    { ...more, name: "name", content: "Rex" },
    { ...more, name: "photo", content: file },
  ];
  const request = { method: "POST", url: "https://x/", headers: [] };
  const snippet = snippetWith({ ...request, body: { kind: "form", parts } }, []);
  const code = languages.csharp(snippet).replaceAll(/form-[0-9a-f]{16}/g, "B");
  expect(code).toContain(
    [
      "request.Content = new ByteArrayContent([",
      String.raw`    .. Encoding.UTF8.GetBytes("--B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nRex\r\n"),`,
      String.raw`    .. Encoding.UTF8.GetBytes("--B\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.png\"\r\n\r\n"),`,
      `    .. File.ReadAllBytes("a.png"),`,
      String.raw`    .. Encoding.UTF8.GetBytes("\r\n"),`,
      String.raw`    .. Encoding.UTF8.GetBytes("--B--\r\n"),`,
      "]);",
    ].join("\n"),
  );
});
