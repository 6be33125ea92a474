// The tags that foreign text may contain, by how they are handled. All others are shown as written:
// `<token>` in a description is a word, not an element.

/** Elements that are kept, without style, class and id attributes. */
export const KEPT_TAGS = [
  ...["h1", "h2", "h3", "h4", "h5", "h6"],
  ...["p", "br", "hr", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd"],
  ...["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"],
  ...["em", "strong", "b", "i", "u", "s", "del", "ins", "mark", "small", "sub", "sup"],
  ...["code", "kbd", "samp", "var", "abbr", "cite", "q", "dfn", "a", "img"],
] as const;

/** Inline layout elements: they are dropped, and their content is kept. */
export const INLINE_LAYOUT_TAGS = [
  ...["span", "font", "big", "tt", "strike", "nobr", "wbr", "label", "time", "data"],
  ...["html", "body", "colgroup", "col"],
] as const;

/** Block layout elements: each becomes a paragraph. */
export const BLOCK_LAYOUT_TAGS = [
  ...["div", "center", "section", "article", "header", "footer", "main", "nav", "aside"],
  ...["details", "summary", "figure", "figcaption", "address"],
] as const;

/** Void elements, which have no end tag. */
export const VOID_TAGS: ReadonlySet<string> = new Set(["br", "hr", "img"]);
