// A small XML parser for contracts: elements with their namespaces, attributes and texts. Its input
// was checked by the control plane; malformed input is read as far as it goes. The browser's own
// parser is not available to pages that allow no HTML from text (Trusted Types).

/** A name in a namespace; empty if it has none. */
export interface Name {
  namespace: string;
  local: string;
}

export interface Element extends Name {
  attributes: ReadonlyMap<string, string>;
  children: readonly Element[];
  text: string;
  /** Namespaces by their prefixes, for names in attributes. */
  scope: ReadonlyMap<string, string>;
}

interface Opened extends Element {
  children: Element[];
  attributes: Map<string, string>;
}

const TOKEN =
  /<!--.*?(?:-->|$)|<!\[CDATA\[(.*?)(?:\]\]>|$)|<[?!].*?(?:>|$)|<((?:[^<>"']|"[^"]*"|'[^']*')*)>|([^<]+)/gs;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** Maximum number of elements; contracts of 50 MB have fewer. */
const ELEMENTS_MAX = 500_000;

/** Parses XML; returns the root element. */
export function readXml(xml: string): Element | undefined {
  const root = opened("", new Map());
  const open: Opened[] = [root];
  let elements = 0;
  for (const [, section, tag, text] of xml.matchAll(TOKEN)) {
    const present = open.at(-1);
    if (present === undefined || elements > ELEMENTS_MAX) break;
    if (section !== undefined || text !== undefined) {
      present.text += section ?? unescaped(text ?? "");
    } else if (tag?.startsWith("/")) {
      open.pop();
    } else if (tag !== undefined) {
      elements += 1;
      const element = opened(tag, present.scope);
      present.children.push(element);
      if (!tag.endsWith("/")) open.push(element);
    }
  }
  return root.children[0];
}

function opened(tag: string, outer: ReadonlyMap<string, string>): Opened {
  const end = tag.search(/[\s/]|$/);
  const attributes = new Map<string, string>();
  let scope = outer;
  for (const [, name = "", double, single] of tag.slice(end).matchAll(ATTRIBUTE)) {
    const value = unescaped(double ?? single ?? "");
    const declared = name === "xmlns" ? "" : /^xmlns:(.*)$/.exec(name)?.[1];
    if (declared === undefined) attributes.set(name, value);
    else scope = new Map(scope).set(declared, value);
  }
  return { ...named(tag.slice(0, end), scope), attributes, children: [], text: "", scope };
}

function named(written: string, scope: ReadonlyMap<string, string>): Name {
  const at = written.indexOf(":");
  const prefix = at < 0 ? "" : written.slice(0, at);
  return { namespace: scope.get(prefix) ?? "", local: written.slice(at + 1) };
}

/** Returns the qualified name in an attribute. */
export function nameIn({ attributes, scope }: Element, attribute: string): Name | undefined {
  const written = attributes.get(attribute)?.trim();
  return written === undefined ? undefined : named(written, scope);
}

/** Returns the key of a name in a map. */
export const keyOf = ({ namespace, local }: Name): string => `{${namespace}}${local}`;

export function childrenOf(element: Element | undefined, ...locals: string[]): Element[] {
  return element?.children.filter(({ local }) => locals.includes(local)) ?? [];
}

const ENTITIES = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

function unescaped(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex, decimal, name) => {
      if (typeof name === "string") return ENTITIES.get(name) ?? whole;
      const code = typeof hex === "string" ? parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
