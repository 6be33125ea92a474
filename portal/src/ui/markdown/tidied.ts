// Adapts a foreign text's tree to its page: images become links, links that cannot work here become
// text, headings begin below those of the page and skip no level, task checkboxes become
// characters, and nesting is bounded.

import type { Element, ElementContent, Root, RootContent } from "hast";
import { text } from "../../text/text";

/** Maximum nesting depth; deeper elements become text. */
export const DEPTH_MAX = 64;
/** Level of a text's first heading. */
export type HeadingLevel = 2 | 3;

/** A text and its heading level on the page. */
export interface Source {
  source: string;
  headings: HeadingLevel;
}

interface Walk {
  first: HeadingLevel;
  /** Original levels of the headings above the current one. */
  headings: number[];
}

type Node = RootContent | ElementContent;

/** Adapts a tree to its page; the first heading gets the level `first`. */
export function tidy(tree: Root, first: HeadingLevel): void {
  const walk = { first, headings: [] };
  tree.children = childrenOf(tree.children, walk, 1, false);
}

function childrenOf(nodes: readonly Node[], walk: Walk, depth: number, isInLink: boolean): Node[] {
  return nodes.flatMap((node) =>
    node.type === "element" ? tidyElement(node, walk, depth, isInLink) : [node],
  );
}

function tidyElement(element: Element, walk: Walk, depth: number, isInLink: boolean): Node[] {
  const { tagName, properties } = element;
  if (depth > DEPTH_MAX) return [{ type: "text", value: textOf(element) }];
  if (tagName === "img") return picture(element, isInLink);
  if (tagName === "input") return [{ type: "text", value: properties["checked"] ? "☑" : "☐" }];
  if (/^h[1-6]$/.test(tagName)) element.tagName = headingOf(Number(tagName[1]), walk);
  const isLink = tagName === "a";
  delete properties["id"];
  delete properties["align"];
  const inside = childrenOf(element.children, walk, depth + 1, isInLink || isLink);
  element.children = inside as ElementContent[];
  if (tagName === "p" && isEmpty(element)) return [];
  if (!isLink) return [element];
  return isInLink ? element.children : link(element);
}

/** Returns the tag of a heading, one level below its parent heading. */
function headingOf(level: number, { first, headings }: Walk): string {
  while ((headings.at(-1) ?? 0) >= level) headings.pop();
  headings.push(level);
  return `h${Math.min(first - 1 + headings.length, 6)}`;
}

function picture({ properties }: Element, isInLink: boolean): Node[] {
  const { alt, title, src } = properties;
  const written = [alt, title].find((it) => typeof it === "string" && it.trim() !== "");
  const words = typeof written === "string" ? written : text.ui.picture;
  const shown: ElementContent[] = [{ type: "text", value: words }];
  if (isInLink) return shown;
  return link({
    type: "element",
    tagName: "a",
    properties: { href: typeof src === "string" ? src : "" },
    children: shown,
  });
}

/** Keeps a link to the web; replaces others with their text and, if useful, their address. */
function link(element: Element): Node[] {
  const written = element.properties["href"];
  // Browsers strip control characters and spaces before they parse the scheme.
  const href = typeof written === "string" ? written.replaceAll(/[\p{Cc}\s]+/gu, "") : "";
  const words = textOf(element).trim();
  if (/^https?:\/\//i.test(href)) {
    element.properties["href"] = href;
    if (words === "") element.children = [{ type: "text", value: href }];
    return [element];
  }
  const isAddress = /^(mailto:|tel:)/i.test(href) || !/^([a-z][a-z0-9+.-]*:|#|$)/i.test(href);
  const address = href.replace(/^(mailto|tel):/i, "");
  if (!isAddress || words.includes(address)) return element.children;
  return [...element.children, { type: "text", value: ` (${address})` }];
}

const isEmpty = ({ children }: Element): boolean =>
  children.every((child) => child.type === "text" && child.value.trim() === "");

function textOf(node: Node): string {
  if (node.type === "text") return node.value;
  return node.type === "element" ? node.children.map(textOf).join("") : "";
}
