// From Markdown to a tree of HTML, and from such a tree to elements of React: the steps of
// `react-markdown`, without its plugins and files.

import type { Nodes, Root } from "hast";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";
import type { ReactElement } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { components } from "./components";

/** The tree of a text in Markdown, with GitHub's extensions; HTML in it is `raw`. */
export function treeOf(source: string): Root {
  const extensions = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
  const tree = toHast(fromMarkdown(source, extensions), { allowDangerousHtml: true });
  return tree.type === "root" ? tree : { type: "root", children: [] };
}

/** The elements of a tree; HTML that is still `raw` is text. */
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
