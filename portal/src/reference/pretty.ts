// Indents JSON and XML. Tokens are not changed, so no digit of a number is lost, and truncated or
// malformed text is shown as far as it goes.

const INDENT = "  ";
/** Deeper levels are not indented further. */
const LEVELS_MAX = 100;

const LINES = Array.from({ length: LEVELS_MAX + 1 }, (_, level) => `\n${INDENT.repeat(level)}`);

function line(level: number): string {
  return LINES[Math.min(Math.max(level, 0), LEVELS_MAX)] ?? "\n";
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs;

const opens = (token: string | undefined) => token === "{" || token === "[";
const closes = (token: string | undefined) => token === "}" || token === "]";

export function prettyJson(json: string): string {
  const tokens = json.match(JSON_TOKEN) ?? [];
  let out = "";
  let level = 0;
  let before: string | undefined;
  for (const token of tokens) {
    if (closes(token)) level -= 1;
    // Empty objects and arrays stay on one line.
    if (before === "," || opens(before) !== closes(token)) out += line(level);
    out += token === ":" ? ": " : token;
    if (opens(token)) level += 1;
    before = token;
  }
  return out;
}

const XML_TOKEN =
  /<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?.*?(?:\?>|$)|<(?:[^<>"']|"[^"]*"|'[^']*')*>|[^<]+|</gs;

type Kind = "open" | "close" | "single" | "text";

function kindOf(token: string): Kind {
  if (!token.startsWith("<") || token.startsWith("<![CDATA[")) return "text";
  if (/^<[!?]/.test(token) || token.endsWith("/>")) return "single";
  return token.startsWith("</") ? "close" : "open";
}

export function prettyXml(xml: string): string {
  const tokens = (xml.match(XML_TOKEN) ?? []).filter((token) => token.trim() !== "");
  const out: string[] = [];
  let level = 0;
  let before: Kind | undefined;
  for (const token of tokens) {
    const kind = kindOf(token);
    if (kind === "close") level -= 1;
    // An element's text stays on the line of the element.
    const isInline =
      before === undefined ||
      kind === "text" ||
      before === "text" ||
      (kind === "close" && before === "open");
    out.push(isInline ? "" : line(level), token.trim());
    if (kind === "open") level += 1;
    before = kind;
  }
  return out.join("");
}
