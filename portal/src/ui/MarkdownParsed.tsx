import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

// Headings of foreign text begin below those of the page.
const components: Components = {
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  a: ({ href, children }) =>
    href ? (
      <a href={href} rel="noreferrer noopener" target="_blank">
        {children}
      </a>
    ) : (
      <>{children}</>
    ),
  // Another host's picture would tell it who reads.
  img: ({ alt }) => <>{alt}</>,
};

/** What is no address of the web leads nowhere. */
function webOnly(url: string): string {
  return /^https?:\/\//i.test(url) ? url : "";
}

export default function MarkdownParsed({ source }: { source: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      components={components}
      urlTransform={webOnly}
      skipHtml
    >
      {source}
    </ReactMarkdown>
  );
}
