// Parses Markdown to an HTML tree, and renders such a tree as React elements. Does what
// `react-markdown` does, without unified and its plugins.

import type { Nodes, Root } from "hast";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
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
import type { ReactElement } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { components } from "./components";

/** GitHub Flavored Markdown, as its specification has it: without footnotes. */
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
export function elementsOf(tree: Root): ReactElement {
  rawToText(tree);
  const how = { Fragment, jsx, jsxs, components, ignoreInvalidStyle: true };
  return toJsxRuntime(tree, how) as ReactElement;
}

function rawToText(node: Nodes): void {
  if (!("children" in node)) return;
  node.children.forEach((child, at) => {
    if (child.type === "raw") node.children[at] = { type: "text", value: child.value };
    else rawToText(child);
  });
}
