// The bytes of a body. Forms are written here (RFC 7578) and not by the browser's `FormData`, which
// gives a text neither media type nor headers. Names are escaped as browsers do (HTML, section
// 4.10.21.8).

import type { FormPart, SentBody } from "./call_request";

export interface Content {
  type: string;
  /** Texts, and files whose bytes stand in their place. */
  pieces: readonly (string | File)[];
}

/** Random, so that no file contains it. */
const BOUNDARY = `form-${[...crypto.getRandomValues(new Uint8Array(8))]
  .map((byte) => byte.toString(16).padStart(2, "0"))
  .join("")}`;

export function contentOf(body: SentBody): Content {
  switch (body.kind) {
    case "text":
      return { type: body.type, pieces: [body.text] };
    case "file":
      return { type: body.type, pieces: [body.file] };
    case "form":
      return formContent(body.parts);
  }
}

function formContent(parts: readonly FormPart[]): Content {
  const boundary = boundaryOf(parts);
  const pieces = parts.flatMap((part) => {
    const head = `--${boundary}\r\n${headOf(part)}\r\n\r\n`;
    const { content } = part;
    return typeof content === "string" ? [`${head}${content}\r\n`] : [head, content, "\r\n"];
  });
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    pieces: [...pieces, `--${boundary}--\r\n`],
  };
}

function headOf({ name, content, type, headers }: FormPart): string {
  const file = typeof content === "string" ? "" : `; filename="${escaped(content.name)}"`;
  return [
    `Content-Disposition: form-data; name="${escaped(name)}"${file}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...headers.map((header) => header.join(": ")),
  ].join("\r\n");
}

const escaped = (name: string) =>
  name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

/** A boundary that no text contains. */
function boundaryOf(parts: readonly FormPart[]): string {
  let boundary = BOUNDARY;
  while (parts.some(({ content }) => typeof content === "string" && content.includes(boundary))) {
    boundary += "-";
  }
  return boundary;
}
