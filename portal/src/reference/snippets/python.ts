import { PASSWORD, type Snippet, USER_NAME, doubleQuoted } from "./snippet";

export function python({ method, url, headers, body, credentials }: Snippet): string {
  const isBasic = credentials.some((it) => it.kind === "basic");
  const fields = [
    ...credentials.flatMap((it) =>
      it.kind === "basic"
        ? []
        : `        ${doubleQuoted(it.header)}: ${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)} + `}os.environ["${it.variable}"],`,
    ),
    ...headers.map(([name, value]) => `        ${doubleQuoted(name)}: ${doubleQuoted(value)},`),
  ];
  return [
    ...(credentials.length > 0 ? ["import os"] : []),
    "import requests",
    "",
    "answer = requests.request(",
    `    ${doubleQuoted(method)},`,
    `    ${doubleQuoted(url)},`,
    ...(fields.length > 0 ? ["    headers={", ...fields, "    },"] : []),
    ...(isBasic ? [`    auth=(os.environ["${USER_NAME}"], os.environ["${PASSWORD}"]),`] : []),
    ...(body === undefined ? [] : [`    data=${doubleQuoted(body)}.encode(),`]),
    ")",
    "print(answer.status_code, answer.text)",
  ].join("\n");
}
