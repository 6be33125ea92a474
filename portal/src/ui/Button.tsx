// Buttons, and links that look like them. A page has one primary button.

import { type LinkComponentProps, createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaProps } from "react-aria-components";
import styles from "./Button.module.css";

export type Look = "primary" | "plain" | "quiet" | "danger";

interface ButtonProps extends Omit<AriaProps, "className" | "style" | "children"> {
  children: ReactNode;
  look?: Look;
  small?: boolean;
  /** Why the button is disabled; it is enabled if absent. */
  why?: string | undefined;
}

function classes(look: Look, small: boolean | undefined): string {
  return [styles["button"], styles[look], small && styles["small"]].filter(Boolean).join(" ");
}

/** A button. While `isPending` it ignores presses; a disabled one shows why. */
export function Button({ look = "plain", small, why, children, ...rest }: ButtonProps) {
  const button = (
    <AriaButton
      {...rest}
      className={classes(look, small)}
      isDisabled={Boolean(why) || (rest.isDisabled ?? false)}
    >
      {children}
    </AriaButton>
  );
  if (!why) return button;
  return (
    <span className={styles["withReason"]}>
      {button}
      <span className={styles["reason"]}>{why}</span>
    </span>
  );
}

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  look?: Look;
  small?: boolean;
}

function Anchor({ look = "plain", small, ...rest }: AnchorProps) {
  return <a {...rest} className={classes(look, small)} />;
}

/** A link to a page that looks like a button. */
export const ButtonLink = createLink(Anchor);
export type ButtonLinkProps = LinkComponentProps<typeof Anchor>;
