// The sign-in link for visitors, which returns to the current page.

import { useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { paths } from "../paths";
import { ButtonLink, type Look } from "../ui/Button";

interface SignInLinkProps {
  children: ReactNode;
  look?: Look;
  small?: boolean;
}

export function SignInLink({ children, look = "plain", small = false }: SignInLinkProps) {
  const href = useRouterState({ select: ({ location }) => location.href });
  return (
    <ButtonLink {...paths.signIn(href)} look={look} small={small}>
      {children}
    </ButtonLink>
  );
}
