// The bytes of a body. Forms (RFC 7578) are serialized here, because the browser's `FormData` has
// neither media types nor headers for text. Names are escaped as in HTML, section 4.10.21.8.

import type { FormPart, SentBody } from "./call_request";

export interface Content {
  type: string;
  /** Texts and files, to be concatenated. */
  pieces: readonly (string | File)[];
}

/** Random: files are not searched for it. */
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

/** Returns a boundary that no text contains. */
function boundaryOf(parts: readonly FormPart[]): string {
  let boundary = BOUNDARY;
  while (parts.some(({ content }) => typeof content === "string" && content.includes(boundary))) {
    boundary += "-";
  }
  return boundary;
}
