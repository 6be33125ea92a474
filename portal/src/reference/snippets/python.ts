import type { FormPart, SentBody } from "../call_request";
import { hasDotSegments } from "../sendable";
import { PASSWORD, type Snippet, USER_NAME, doubleQuoted } from "./snippet";

export function python({ method, url, headers, body, credentials }: Snippet): string {
  const isBasic = credentials.some((it) => it.kind === "basic");
  // `requests` sets the media type of a form, with its boundary.
  const types = body === undefined || body.kind === "form" ? [] : [["content-type", body.type]];
  const fields = [
    ...credentials.flatMap((it) =>
      it.kind === "basic"
        ? []
        : `        ${doubleQuoted(it.header)}: ${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)} + `}os.environ["${it.variable}"],`,
    ),
    ...[...headers, ...types].map(
      ([name = "", value = ""]) => `        ${doubleQuoted(name)}: ${doubleQuoted(value)},`,
    ),
  ];
  return [
    ...(credentials.length > 0 ? ["import os"] : []),
    "import requests",
    "",
    ...(hasDotSegments(url) ? [`# requests resolves "." and ".." in the path.`] : []),
    "answer = requests.request(",
    `    ${doubleQuoted(method)},`,
    `    ${doubleQuoted(url)},`,
    ...(fields.length > 0 ? ["    headers={", ...fields, "    },"] : []),
    ...(isBasic ? [`    auth=(os.environ["${USER_NAME}"], os.environ["${PASSWORD}"]),`] : []),
    ...(body === undefined ? [] : bodyLines(body)),
    ")",
    "print(answer.status_code, answer.text)",
  ].join("\n");
}

const opened = (file: File) => `open(${doubleQuoted(file.name)}, "rb")`;

function bodyLines(body: SentBody): string[] {
  switch (body.kind) {
    case "text":
      return [`    data=${doubleQuoted(body.text)}.encode(),`];
    case "file":
      return [`    data=${opened(body.file)},`];
    case "form":
      return ["    files=[", ...body.parts.map((part) => `        ${partOf(part)},`), "    ],"];
  }
}

/** Formats a part as a tuple of `requests`: file name, content, media type, headers. */
function partOf({ name, content, type, headers }: FormPart): string {
  const [file, value] =
    typeof content === "string"
      ? ["None", doubleQuoted(content)]
      : [doubleQuoted(content.name), opened(content)];
  const pairs = headers.map((it) => it.map(doubleQuoted).join(": "));
  const named = type === undefined ? "None" : doubleQuoted(type);
  const more = pairs.length > 0 ? [named, `{${pairs.join(", ")}}`] : type ? [named] : [];
  return `(${doubleQuoted(name)}, (${[file, value, ...more].join(", ")}))`;
}
