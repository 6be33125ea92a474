import { PASSWORD, type Snippet, USER_NAME } from "./snippet";

/** A text as a string in which PHP replaces nothing. */
function quoted(value: string): string {
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

export function php({ method, url, headers, body, credentials }: Snippet): string {
  const isBasic = credentials.some((it) => it.kind === "basic");
  const fields = [
    ...credentials.flatMap((it) =>
      it.kind === "basic"
        ? []
        : `        ${quoted(`${it.header}: ${it.prefix}`)} . getenv('${it.variable}'),`,
    ),
    ...headers.map(([name, value]) => `        ${quoted(`${name}: ${value}`)},`),
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
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => ${quoted(body)},`]),
    ...(method === "HEAD" ? ["    CURLOPT_NOBODY => true,"] : []),
    "]);",
    "$body = curl_exec($call);",
    "echo curl_getinfo($call, CURLINFO_RESPONSE_CODE), ' ', $body;",
  ].join("\n");
}
