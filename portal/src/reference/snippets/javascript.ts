import { PASSWORD, type Snippet, USER_NAME, doubleQuoted } from "./snippet";

export function javascript({ method, url, headers, body, credentials }: Snippet): string {
  const fields = [
    ...credentials.map((it) =>
      it.kind === "basic"
        ? `    ["authorization", "Basic " + btoa(\`\${process.env.${USER_NAME}}:\${process.env.${PASSWORD}}\`)],`
        : `    [${doubleQuoted(it.header)}, ${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)} + `}process.env.${it.variable}],`,
    ),
    // Pairs: in an object, a header `__proto__` would be its prototype.
    ...headers.map(([name, value]) => `    [${doubleQuoted(name)}, ${doubleQuoted(value)}],`),
  ];
  return [
    `const answer = await fetch(${doubleQuoted(url)}, {`,
    `  method: ${doubleQuoted(method)},`,
    ...(fields.length > 0 ? ["  headers: [", ...fields, "  ],"] : []),
    ...(body === undefined ? [] : [`  body: ${doubleQuoted(body)},`]),
    "});",
    "console.log(answer.status, await answer.text());",
  ].join("\n");
}
