import ReactMarkdown from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { type Options } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { components, webOnly } from "./components";
import { KEPT_TAGS } from "./html_tags";
import { keptTags } from "./kept_tags";
import { type Source, tidied } from "./tidied";

const LIST = ["ol", "ul"];
const TABLE = ["table"];
const CELL = ["colSpan", "rowSpan"];

/** What stays of a foreign tree. Class, style, id and name reach into the page: they do not. */
const schema: Options = {
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

/** A text in which HTML may occur. Sanitising is the last step. */
export default function MarkdownWithHtml({ source, headings }: Source) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[keptTags, rehypeRaw, [tidied, headings], [rehypeSanitize, schema]]}
      components={components}
      urlTransform={webOnly}
    >
      {source}
    </ReactMarkdown>
  );
}
