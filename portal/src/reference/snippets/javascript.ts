import { BODILESS, FORBIDDEN_METHOD } from "../call";
import { hasDotSegments } from "../sendable";
import { PASSWORD, type Snippet, USER_NAME, doubleQuoted, filesOf, writtenOf } from "./snippet";

export function javascript(snippet: Snippet): string {
  const { method, url, body, credentials } = snippet;
  const { headers } = writtenOf(snippet);
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
    ...(filesOf(snippet).length > 0 ? [`import { readFile } from "node:fs/promises";`, ""] : []),
    ...(hasDotSegments(url) ? [`// fetch resolves "." and ".." in the path.`] : []),
    ...(FORBIDDEN_METHOD.test(method) ? [`// fetch refuses the method ${method}.`] : []),
    `const answer = await fetch(${doubleQuoted(url)}, {`,
    `  method: ${doubleQuoted(method)},`,
    ...(fields.length > 0 ? ["  headers: [", ...fields, "  ],"] : []),
    ...(body === undefined ? [] : bodyLines(snippet)),
    "});",
    "console.log(answer.status, await answer.text());",
  ].join("\n");
}

function bodyLines(snippet: Snippet): string[] {
  if (BODILESS.has(snippet.method)) return [`  // fetch sends no body with ${snippet.method}.`];
  const pieces = writtenOf(snippet).pieces.map((it) =>
    typeof it === "string" ? doubleQuoted(it) : `await readFile(${doubleQuoted(it.name)})`,
  );
  if (pieces.length === 1) return [`  body: ${pieces[0]},`];
  return ["  body: new Blob([", ...pieces.map((it) => `    ${it},`), "  ]),"];
}
