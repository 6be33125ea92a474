import { PASSWORD, type Snippet, USER_NAME, doubleQuoted, filesOf, writtenOf } from "./snippet";

const FAILS = ["\tif err != nil {", "\t\tpanic(err)", "\t}"];

export function go(snippet: Snippet): string {
  const { method, url, credentials } = snippet;
  const { headers, pieces } = writtenOf(snippet);
  const files = filesOf(snippet);
  const isReading = credentials.length > 0 || files.length > 0;
  const imports = ["fmt", "io", "net/http", ...(isReading ? ["os"] : [])];
  if (pieces.length > 0) imports.push("strings");
  const fields = [
    ...credentials.map((it) =>
      it.kind === "basic"
        ? `\trequest.SetBasicAuth(os.Getenv("${USER_NAME}"), os.Getenv("${PASSWORD}"))`
        : `\trequest.Header.Set(${doubleQuoted(it.header)}, ${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)}+`}os.Getenv("${it.variable}"))`,
    ),
    ...headers.map(([name, value]) =>
      /^host$/i.test(name)
        ? `\trequest.Host = ${doubleQuoted(value)}`
        : `\trequest.Header.Add(${doubleQuoted(name)}, ${doubleQuoted(value)})`,
    ),
  ];
  return [
    "package main",
    "",
    "import (",
    ...imports.map((it) => `\t"${it}"`),
    ")",
    "",
    "func main() {",
    ...files.flatMap((name, at) => [
      `\t${fileName(at)}, err := os.ReadFile(${doubleQuoted(name)})`,
      ...FAILS,
    ]),
    `\trequest, err := http.NewRequest(${doubleQuoted(method)}, ${doubleQuoted(url)}, ${readerOf(pieces)})`,
    ...FAILS,
    ...fields,
    "\tanswer, err := http.DefaultClient.Do(request)",
    ...FAILS,
    "\tdefer answer.Body.Close()",
    "\tbody, _ := io.ReadAll(answer.Body)",
    "\tfmt.Println(answer.StatusCode, string(body))",
    "}",
  ].join("\n");
}

const fileName = (at: number) => `file${at + 1}`;

function readerOf(pieces: readonly (string | File)[]): string {
  if (pieces.length === 0) return "nil";
  let files = 0;
  const texts = pieces.map((it) => {
    if (typeof it === "string") return doubleQuoted(it);
    files += 1;
    return `string(${fileName(files - 1)})`;
  });
  return `strings.NewReader(${texts.join(" +\n\t\t")})`;
}
