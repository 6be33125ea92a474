import { hasDotSegments } from "../sendable";
import { PASSWORD, type Snippet, USER_NAME, fieldLine, writtenOf } from "./snippet";

/** Control characters: editors and clipboards do not keep all of them. */
const CONTROLS = /[^\P{Cc}\n]/gu;

/** Formats a text as a string in which PHP replaces nothing. */
function quoted(value: string): string {
  if (value.search(CONTROLS) >= 0) {
    const escaped = value.replaceAll(/[\\"$]/g, "\\$&");
    return `"${escaped.replaceAll(CONTROLS, (it) => `\\u{${it.charCodeAt(0).toString(16)}}`)}"`;
  }
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** The prefix keeps PHP from reading a name such as `data:,x` as a URL. */
const bytesOf = (piece: string | File) =>
  typeof piece === "string" ? quoted(piece) : `file_get_contents(${quoted(`./${piece.name}`)})`;

export function php(snippet: Snippet): string {
  const { method, url, credentials } = snippet;
  const { headers, pieces } = writtenOf(snippet);
  const isBasic = credentials.some((it) => it.kind === "basic");
  const fields = [
    ...credentials.flatMap((it) =>
      it.kind === "basic"
        ? []
        : `        ${quoted(`${it.header}: ${it.prefix}`)} . getenv('${it.variable}'),`,
    ),
    ...headers.map((header) => `        ${quoted(fieldLine(header))},`),
  ];
  return [
    "<?php",
    `$call = curl_init(${quoted(url)});`,
    "curl_setopt_array($call, [",
    `    CURLOPT_CUSTOMREQUEST => ${quoted(method)},`,
    "    CURLOPT_RETURNTRANSFER => true,",
    ...(isBasic
      ? [`    CURLOPT_USERPWD => getenv('${USER_NAME}') . ':' . getenv('${PASSWORD}'),`]
      : []),
    ...(fields.length > 0 ? ["    CURLOPT_HTTPHEADER => [", ...fields, "    ],"] : []),
    ...(hasDotSegments(url) ? ["    CURLOPT_PATH_AS_IS => true,"] : []),
    ...(pieces.length === 0
      ? []
      : [`    CURLOPT_POSTFIELDS => ${pieces.map(bytesOf).join("\n        . ")},`]),
    ...(method === "HEAD" ? ["    CURLOPT_NOBODY => true,"] : []),
    "]);",
    "$body = curl_exec($call);",
    "echo curl_getinfo($call, CURLINFO_RESPONSE_CODE), ' ', $body;",
  ].join("\n");
}
