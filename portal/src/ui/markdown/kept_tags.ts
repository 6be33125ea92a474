// Filters the HTML of a foreign text before it is parsed: only allowed tags remain, with bounded
// nesting. Everything else that begins with a `<` is shown as written, so that code, an unclosed
// comment or an unknown element does not swallow the text after it.

import type { Root, RootContent } from "hast";
import { BLOCK_LAYOUT_TAGS, INLINE_LAYOUT_TAGS, KEPT_TAGS, VOID_TAGS } from "./html_tags";
import { DEPTH_MAX } from "./tidied";

/** A comment, a start tag or an end tag; else the `<` alone. */
const TAGS =
  /<!--[\s\S]*?-->|<(\/?)([a-z][a-z0-9-]*)(?:\s(?:[^<>"']|"[^"]*"|'[^']*'){0,4000})?\/?>|</gi;

const KEPT: ReadonlySet<string> = new Set(KEPT_TAGS);
const INLINE_LAYOUT: ReadonlySet<string> = new Set(INLINE_LAYOUT_TAGS);
const BLOCK_LAYOUT: ReadonlySet<string> = new Set(BLOCK_LAYOUT_TAGS);
/** Elements that are closed by the next one of their kind, so they do not nest. */
const ENDED_BY_NEXT: ReadonlySet<string> = new Set(
  "p li dt dd tr td th thead tbody tfoot caption".split(" "),
);

interface Open {
  /** Number of open elements, by name. */
  open: Map<string, number>;
  /** Number of removed start tags, by name; their end tags are removed too. */
  leftOut: Map<string, number>;
  depth: number;
}

/** Filters the `raw` HTML nodes of a tree in place. */
export function keepTags(tree: Root): void {
  keepIn(tree, { open: new Map(), leftOut: new Map(), depth: 0 });
}

function keepIn(node: Root | RootContent, open: Open): void {
  if (node.type === "raw") node.value = kept(node.value, open);
  else if ("children" in node) for (const child of node.children) keepIn(child, open);
}

function kept(html: string, open: Open): string {
  return html.replace(TAGS, (tag: string, slash?: string, written?: string) => {
    if (tag.startsWith("<!--")) return "";
    const name = written?.toLowerCase() ?? "";
    if (INLINE_LAYOUT.has(name)) return "";
    // A paragraph closes the one before it; empty ones are left out.
    if (BLOCK_LAYOUT.has(name)) return "<p>";
    if (!KEPT.has(name)) return tag.replaceAll("<", "&lt;");
    if (VOID_TAGS.has(name)) return slash === "/" && name !== "br" ? "" : tag.replace("</", "<");
    return slash === "/" ? end(name, tag, open) : start(name, tag, open);
  });
}

function start(name: string, tag: string, open: Open): string {
  if (ENDED_BY_NEXT.has(name)) return tag;
  if (open.depth >= DEPTH_MAX) {
    add(open.leftOut, name, 1);
    return "";
  }
  add(open.open, name, 1);
  open.depth += 1;
  return tag;
}

function end(name: string, tag: string, open: Open): string {
  if (ENDED_BY_NEXT.has(name)) return tag;
  if ((open.leftOut.get(name) ?? 0) > 0) {
    add(open.leftOut, name, -1);
    return "";
  }
  if ((open.open.get(name) ?? 0) === 0) return "";
  add(open.open, name, -1);
  open.depth -= 1;
  return tag;
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
