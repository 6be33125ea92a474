import type { Components } from "react-markdown";
import { text } from "../../text/text";

export const components: Components = {
  a: ({ href, children }) => (
    <a href={href} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  ),
  // A wide table scrolls in its own frame, by the keyboard too.
  table: ({ children }) => (
    <div data-table role="group" aria-label={text.ui.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

/** What is no address of the web leads nowhere. */
export function webOnly(url: string): string {
  return /^https?:\/\//i.test(url) ? url : "";
}
