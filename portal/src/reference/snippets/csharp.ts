import { hasDotSegments } from "../sendable";
import { PASSWORD, type Snippet, USER_NAME, doubleQuoted, writtenOf } from "./snippet";

/** Headers that `HttpClient` accepts only together with a body. */
const OF_CONTENT = new Set([
  "allow",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-md5",
  "content-range",
  "content-type",
  "expires",
  "last-modified",
]);

export function csharp(snippet: Snippet): string {
  const { method, url, headers, body, credentials } = snippet;
  const add = (name: string, value: string) =>
    `request.Headers.TryAddWithoutValidation(${doubleQuoted(name)}, ${value});`;
  const variable = (name: string) => `Environment.GetEnvironmentVariable("${name}")`;
  const proofs = credentials.flatMap((it) =>
    it.kind === "basic"
      ? [
          `var user = ${variable(USER_NAME)} + ":" + ${variable(PASSWORD)};`,
          add("Authorization", `"Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes(user))`),
        ]
      : [
          add(
            it.header,
            `${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)} + `}${variable(it.variable)}`,
          ),
        ],
  );
  return [
    "using System.Text;",
    "",
    "using var client = new HttpClient();",
    `var request = new HttpRequestMessage(new HttpMethod(${doubleQuoted(method)}), ${addressOf(url)});`,
    ...proofs,
    ...headers
      .filter(([name]) => !OF_CONTENT.has(name.toLowerCase()))
      .map(([name, value]) => add(name, doubleQuoted(value))),
    ...(body === undefined ? [] : contentLines(snippet)),
    ...headers
      .filter(([name]) => OF_CONTENT.has(name.toLowerCase()))
      .map(([name, value]) =>
        body === undefined
          ? `// HttpClient sends ${name} only with a body.`
          : addToContent(name, value),
      ),
    "var answer = await client.SendAsync(request);",
    `Console.WriteLine($"{(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");`,
  ].join("\n");
}

function addToContent(name: string, value: string): string {
  const pair = `${doubleQuoted(name)}, ${doubleQuoted(value)}`;
  return `request.Content.Headers.TryAddWithoutValidation(${pair});`;
}

/** By default, `Uri` resolves dot segments. */
function addressOf(url: string): string {
  if (!hasDotSegments(url)) return doubleQuoted(url);
  const options = "new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true }";
  return `new Uri(${doubleQuoted(url)}, ${options})`;
}

function contentLines(snippet: Snippet): string[] {
  const { headers, pieces } = writtenOf(snippet);
  const [, type = ""] = headers.at(-1) ?? [];
  const bytes = pieces.map((it) =>
    typeof it === "string"
      ? `Encoding.UTF8.GetBytes(${doubleQuoted(it)})`
      : `File.ReadAllBytes(${doubleQuoted(it.name)})`,
  );
  const all = bytes.length === 1 ? bytes : ["[", ...bytes.map((it) => `    .. ${it},`), "]"];
  return [
    `request.Content = new ByteArrayContent(${all.join("\n")});`,
    addToContent("Content-Type", type),
  ];
}
