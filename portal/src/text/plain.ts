// The beginning of a Markdown text as plain text, for cards of two lines.

/** The card cuts longer texts anyway. */
const LENGTH_MAX = 300;

export function plainStart(markdown: string): string {
  const paragraphs = markdown.slice(0, LENGTH_MAX * 4).split(/\n\s*\n/);
  const isText = (paragraph: string) => !/^\s*(#|```|\||<|!\[)/.test(paragraph);
  const first = paragraphs.find((it) => it.trim() !== "" && isText(it)) ?? "";
  return first
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/^\s*([-*>]|\d+\.)\s+/gm, "")
    .replaceAll(/[*_`~]{1,3}([^*_`~]+)[*_`~]{1,3}/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, LENGTH_MAX);
}
