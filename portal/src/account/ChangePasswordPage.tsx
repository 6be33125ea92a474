import { useNavigate } from "@tanstack/react-router";
import { paths } from "../paths";
import { Bare } from "../shell/Bare";
import { text } from "../text/text";
import { PasswordForm } from "./PasswordForm";
import { keepOneTimePassword, oneTimePassword } from "./one_time";

/** The page to replace a one-time password. */
export function ChangePasswordPage() {
  const navigate = useNavigate();
  const words = text.signIn;
  return (
    <Bare title={words.changeTitle}>
      <p>{words.changeLead}</p>
      <PasswordForm
        currentLabel={words.current}
        submitLabel={words.change}
        known={oneTimePassword()}
        autoFocus
        onChanged={() => {
          keepOneTimePassword(undefined);
          void navigate(paths.catalogue());
        }}
      />
    </Bare>
  );
}
