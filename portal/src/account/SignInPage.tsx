import { getRouteApi, useNavigate, useRouter } from "@tanstack/react-router";
import type { Session } from "../api/session";
import { paths } from "../paths";
import { Bare } from "../shell/Bare";
import { text } from "../text/text";
import { SignInForm } from "./SignInForm";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { from } = route.useSearch();
  const router = useRouter();
  const navigate = useNavigate();
  const proceed = (session: Session) => {
    if (session.password_change) void navigate(paths.changePassword());
    // Only paths of the portal: `//host` would leave it.
    else if (from !== undefined && /^\/(?![/\\])/.test(from)) router.history.push(from);
    else void navigate(paths.catalogue());
  };
  return (
    <Bare title={text.signIn.title}>
      <SignInForm onSignedIn={proceed} />
    </Bare>
  );
}
