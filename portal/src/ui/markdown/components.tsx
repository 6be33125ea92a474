import type { ComponentProps } from "react";
import { text } from "../../text/text";

export function Link({ href, children }: ComponentProps<"a">) {
  return (
    <a href={webOnly(href)} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  );
}

/** A table in its own frame, which scrolls if it is wide, also by keyboard. */
export function Table({ children }: ComponentProps<"table">) {
  return (
    <div data-table role="group" aria-label={text.ui.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

/** Returns a web address unchanged, and an empty one for other schemes. */
function webOnly(url: string | undefined): string {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : "";
}
