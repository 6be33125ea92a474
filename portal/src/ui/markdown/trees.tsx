// Parses Markdown to an HTML tree, and renders such a tree as React elements. A replacement for
// `react-markdown` without unified and its plugins, which renders only the attributes named here.

import type { Root, RootContent } from "hast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmAutolinkLiteralFromMarkdown } from "mdast-util-gfm-autolink-literal";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item";
import { toHast } from "mdast-util-to-hast";
import { gfmAutolinkLiteral } from "micromark-extension-gfm-autolink-literal";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";
import { createElement, type ElementType, type ReactElement, type ReactNode } from "react";
import { Link, Table } from "./components";

const COMPONENTS = new Map<string, ElementType>([
  ["a", Link],
  ["table", Table],
]);
const TABLE: ReadonlySet<string> = new Set(["table", "thead", "tbody", "tfoot", "tr"]);

/** GitHub Flavored Markdown as specified, without footnotes. */
const GFM = {
  extensions: [gfmAutolinkLiteral(), gfmStrikethrough(), gfmTable(), gfmTaskListItem()],
  mdastExtensions: [
    gfmAutolinkLiteralFromMarkdown(),
    gfmStrikethroughFromMarkdown(),
    gfmTableFromMarkdown(),
    gfmTaskListItemFromMarkdown(),
  ],
};

/** Parses GitHub Flavored Markdown; embedded HTML stays in `raw` nodes. */
export function treeOf(source: string): Root {
  const tree = toHast(fromMarkdown(source, GFM), { allowDangerousHtml: true });
  return tree.type === "root" ? tree : { type: "root", children: [] };
}

/** Renders a tree; remaining `raw` nodes become text. */
export function elementsOf({ children }: Root): ReactElement {
  return <>{children.map(rendered)}</>;
}

function rendered(node: RootContent, key: number): ReactNode {
  if (node.type === "text" || node.type === "raw") return node.value;
  if (node.type !== "element") return null;
  const { tagName, children } = node;
  const { href, start, colSpan, rowSpan } = node.properties;
  // React warns about white space between the parts of a table.
  const inside = TABLE.has(tagName) ? children.filter((child) => !isBlank(child)) : children;
  return createElement(
    COMPONENTS.get(tagName) ?? tagName,
    { key, href, start, colSpan, rowSpan },
    ...inside.map(rendered),
  );
}

const isBlank = (node: RootContent): boolean => node.type === "text" && node.value.trim() === "";
