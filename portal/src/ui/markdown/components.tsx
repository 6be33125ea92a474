import type { ComponentProps } from "react";
import { text } from "../../text/text";

export function Link({ href, children }: ComponentProps<"a">) {
  return (
    <a href={webOnly(href)} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  );
}

/** A wide table scrolls in its own frame, by the keyboard too. */
export function Table({ children }: ComponentProps<"table">) {
  return (
    <div data-table role="group" aria-label={text.ui.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

/** What is no address of the web leads nowhere. */
function webOnly(url: string | undefined): string {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : "";
}
