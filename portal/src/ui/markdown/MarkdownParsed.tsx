import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { components, webOnly } from "./components";
import { type Source, tidied } from "./tidied";

/** A text in which there is no HTML. */
export default function MarkdownParsed({ source, headings }: Source) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[[tidied, headings]]}
      components={components}
      urlTransform={webOnly}
    >
      {source}
    </ReactMarkdown>
  );
}
