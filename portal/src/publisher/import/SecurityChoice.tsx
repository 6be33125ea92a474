// Caller authentication: an API key, or as in the document. Operations that need no credential in
// the document are opened only if the publisher confirms it.

import type { ProposedSecurity } from "../../api/queries/imports";
import { text } from "../../text/text";
import { Checkbox } from "../../ui/Checkbox";
import { RadioGroup } from "../../ui/RadioGroup";
import { readSecurity } from "../versions/security_fields";

const words = text.publisher.import.security;

export interface SecurityChosen {
  isSecuredByDocument: boolean;
  isOpen: boolean;
}

interface SecurityChoiceProps {
  proposed: ProposedSecurity | undefined;
  chosen: SecurityChosen;
  onChange: (chosen: SecurityChosen) => void;
}

export function SecurityChoice({ proposed, chosen, onChange }: SecurityChoiceProps) {
  if (!proposed) return <p>{words.key}</p>;
  const { schemes } = readSecurity({ security: proposed.security });
  const named = schemes.map((scheme) => text.publisher.version.security.scheme[scheme].label);
  const scopes = readSecurity({ security: proposed.security }).scopes;
  const open = proposed.operations.filter(({ anonymous }) => anonymous);
  return (
    <>
      <RadioGroup<"key" | "document">
        label={words.who}
        value={chosen.isSecuredByDocument ? "document" : "key"}
        onChange={(value) => onChange({ isSecuredByDocument: value === "document", isOpen: false })}
        choices={[
          { value: "key", label: words.keyChoice, detail: words.keyDetail },
          {
            value: "document",
            label: words.document,
            detail: words.documentDetail(named.join(", ")),
          },
        ]}
      />
      {chosen.isSecuredByDocument && scopes.length > 0 && (
        <p>
          {words.scopes(scopes.map(({ name, granted }) => words.scope(name, granted)).join(", "))}
        </p>
      )}
      {chosen.isSecuredByDocument && open.length > 0 && (
        <Checkbox
          isSelected={chosen.isOpen}
          onChange={(isOpen) => onChange({ ...chosen, isOpen })}
          hint={open.map(({ method, path }) => `${method} ${path}`).join(", ")}
        >
          {words.open(open.length)}
        </Checkbox>
      )}
    </>
  );
}
