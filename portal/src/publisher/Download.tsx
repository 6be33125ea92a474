import type { ReactNode } from "react";
import button from "../ui/Button.module.css";

/** A link to a file of the HTTP API, which the browser saves. */
export function Download({ href, children }: { href: string; children: ReactNode }) {
  return (
    <div>
      <a href={href} download className={button["button"]}>
        {children}
      </a>
    </div>
  );
}
