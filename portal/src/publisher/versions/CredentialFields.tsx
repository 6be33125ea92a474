// The gateway's credential at an upstream: none, a header with a secret, or HTTP Basic. The secret
// is write-only.

import { text } from "../../text/text";
import { Select, TextField } from "../../ui/Field";
import { type CredentialFields as Fields, NO_CREDENTIAL } from "./upstream_fields";

const words = text.publisher.version.credential;

interface CredentialFieldsProps {
  pointer: string;
  fields: Fields;
  onChange: (fields: Fields) => void;
}

export function CredentialFields({ pointer, fields, onChange }: CredentialFieldsProps) {
  const { kind, name, secret, isSet } = fields;
  const [nameField, secretField] =
    kind === "header"
      ? (["/header/name", "/header/value"] as const)
      : ["/basic/name", "/basic/password"];
  return (
    <>
      <Select<Fields["kind"]>
        label={words.kind}
        value={kind}
        choices={[
          { value: "none", label: words.none },
          { value: "header", label: words.header, detail: words.headerDetail },
          { value: "basic", label: words.basic },
        ]}
        onChange={(chosen) => onChange({ ...NO_CREDENTIAL, kind: chosen })}
      />
      {kind !== "none" && (
        <>
          <TextField
            label={kind === "header" ? words.headerName : words.userName}
            value={name}
            onChange={(typed) => onChange({ ...fields, name: typed })}
            pointer={pointer + nameField}
            autoComplete="off"
            placeholder={kind === "header" ? "X-Api-Key" : ""}
            mono
          />
          <TextField
            label={kind === "header" ? words.headerValue : words.password}
            value={secret}
            onChange={(typed) => onChange({ ...fields, secret: typed })}
            pointer={pointer + secretField}
            type="password"
            autoComplete="new-password"
            placeholder={isSet ? "***" : ""}
            hint={isSet ? words.kept : words.once}
          />
        </>
      )}
    </>
  );
}
