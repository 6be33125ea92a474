import { type Source, tidy } from "./tidied";
import { elementsOf, treeOf } from "./trees";

/** A text without HTML. */
export default function MarkdownParsed({ source, headings }: Source) {
  const tree = treeOf(source);
  tidy(tree, headings);
  return elementsOf(tree);
}
