// Parses Markdown to an HTML tree, and renders such a tree as React elements. Does what
// `react-markdown` does, without unified and its plugins.

import type { Nodes, Root } from "hast";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";
import type { ReactElement } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { components } from "./components";

/** Parses GitHub Flavored Markdown; embedded HTML stays in `raw` nodes. */
export function treeOf(source: string): Root {
  const extensions = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
  const tree = toHast(fromMarkdown(source, extensions), { allowDangerousHtml: true });
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
