import { useState } from "react";
import { text } from "../text/text";
import { Checkbox } from "./Checkbox";
import { TextField } from "./Field";

type PasswordFieldProps = Omit<Parameters<typeof TextField>[0], "type" | "lines" | "mono">;

/** A field for a new password, which can be shown to check it. */
export function PasswordField(props: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <TextField {...props} type={isShown ? "text" : "password"} />
      <Checkbox isSelected={isShown} onChange={setShown}>
        {text.ui.showPassword}
      </Checkbox>
    </>
  );
}
