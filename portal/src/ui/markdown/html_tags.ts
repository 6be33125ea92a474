// The tags that foreign text may hold, by what becomes of them. All others are shown as they are
// written: `<token>` in a description is a word and not an element.

/** Elements that are kept, without attributes that style or name them. */
export const KEPT_TAGS = [
  ...["h1", "h2", "h3", "h4", "h5", "h6"],
  ...["p", "br", "hr", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd"],
  ...["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"],
  ...["em", "strong", "b", "i", "u", "s", "del", "ins", "mark", "small", "sub", "sup"],
  ...["code", "kbd", "samp", "var", "abbr", "cite", "q", "dfn", "a", "img"],
] as const;

/** Elements that only lay out lines: they are dropped, and what is in them is kept. */
export const INLINE_LAYOUT_TAGS = [
  ...["span", "font", "big", "tt", "strike", "nobr", "wbr", "label", "time", "data"],
  ...["html", "body", "colgroup", "col"],
] as const;

/** Elements that only lay out blocks: each is a paragraph. */
export const BLOCK_LAYOUT_TAGS = [
  ...["div", "center", "section", "article", "header", "footer", "main", "nav", "aside"],
  ...["details", "summary", "figure", "figcaption", "address"],
] as const;

/** Elements without content, which no end tag closes. */
export const VOID_TAGS: ReadonlySet<string> = new Set(["br", "hr", "img"]);
