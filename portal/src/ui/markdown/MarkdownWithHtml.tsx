import type { Root } from "hast";
import { raw } from "hast-util-raw";
import { type Schema, sanitize } from "hast-util-sanitize";
import { KEPT_TAGS } from "./html_tags";
import { keepTags } from "./kept_tags";
import { type Source, tidy } from "./tidied";
import { elementsOf, treeOf } from "./trees";

const LIST = ["ol", "ul"];
const TABLE = ["table"];
const CELL = ["colSpan", "rowSpan"];

/** The allow-list for foreign trees, without class, style, id and name, which affect the page. */
const schema: Schema = {
  tagNames: KEPT_TAGS.filter((name) => name !== "img"),
  attributes: {
    a: ["href"],
    ol: ["start"],
    td: CELL,
    th: CELL,
  },
  protocols: { href: ["http", "https"] },
  ancestors: {
    li: LIST,
    tbody: TABLE,
    td: TABLE,
    tfoot: TABLE,
    th: TABLE,
    thead: TABLE,
    tr: TABLE,
  },
  allowComments: false,
  allowDoctypes: false,
  clobber: [],
  required: {},
  strip: [],
};

/** A text that may contain HTML. Sanitising is the last step. */
export default function MarkdownWithHtml({ source, headings }: Source) {
  const written = treeOf(source);
  keepTags(written);
  // Both steps return a root for a root.
  const tree = raw(written) as Root;
  tidy(tree, headings);
  return elementsOf(sanitize(tree, schema) as Root);
}
