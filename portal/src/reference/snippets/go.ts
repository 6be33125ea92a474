import { PASSWORD, type Snippet, USER_NAME, doubleQuoted } from "./snippet";

export function go({ method, url, headers, body, credentials }: Snippet): string {
  const reader = body === undefined ? "nil" : `strings.NewReader(${doubleQuoted(body)})`;
  const imports = ["fmt", "io", "net/http", ...(credentials.length > 0 ? ["os"] : [])];
  if (body !== undefined) imports.push("strings");
  const fields = [
    ...credentials.map((it) =>
      it.kind === "basic"
        ? `\trequest.SetBasicAuth(os.Getenv("${USER_NAME}"), os.Getenv("${PASSWORD}"))`
        : `\trequest.Header.Set(${doubleQuoted(it.header)}, ${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)}+`}os.Getenv("${it.variable}"))`,
    ),
    ...headers.map(
      ([name, value]) => `\trequest.Header.Add(${doubleQuoted(name)}, ${doubleQuoted(value)})`,
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
    `\trequest, err := http.NewRequest(${doubleQuoted(method)}, ${doubleQuoted(url)}, ${reader})`,
    "\tif err != nil {",
    "\t\tpanic(err)",
    "\t}",
    ...fields,
    "\tanswer, err := http.DefaultClient.Do(request)",
    "\tif err != nil {",
    "\t\tpanic(err)",
    "\t}",
    "\tdefer answer.Body.Close()",
    "\tbody, _ := io.ReadAll(answer.Body)",
    "\tfmt.Println(answer.StatusCode, string(body))",
    "}",
  ].join("\n");
}
