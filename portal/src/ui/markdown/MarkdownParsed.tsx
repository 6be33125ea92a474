import { type Source, tidy } from "./tidied";
import { elementsOf, treeOf } from "./trees";

/** A text in which there is no HTML. */
export default function MarkdownParsed({ source, headings }: Source) {
  const tree = treeOf(source);
  tidy(tree, headings);
  return elementsOf(tree);
}
