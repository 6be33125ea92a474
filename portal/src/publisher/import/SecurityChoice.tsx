// Caller authentication: as in the document, or otherwise. Operations that need no credential in
// the document are opened only if the publisher confirms it.

import type { ProposedSecurity, SecurityFromDocument } from "../../api/queries/imports";
import { text } from "../../text/text";
import { Checkbox } from "../../ui/Checkbox";
import { RadioGroup } from "../../ui/RadioGroup";
import { readSecurity } from "../versions/security_fields";

const words = text.publisher.import.security;

const BY_KEY = { label: words.keyChoice, detail: words.keyDetail };

export const NOT_BY_DOCUMENT: SecurityFromDocument = { isSecuredByDocument: false, isOpen: false };

interface SecurityChoiceProps {
  /** The security of the document; absent if it requires none. */
  proposed: ProposedSecurity | undefined;
  chosen: SecurityFromDocument;
  onChange: (chosen: SecurityFromDocument) => void;
  /** The alternative to the security of the document. */
  otherwise?: { label: string; detail: string };
  /** Shown if the document requires no security. */
  none?: string;
}

export function SecurityChoice(props: SecurityChoiceProps) {
  const { proposed, chosen, onChange, otherwise = BY_KEY, none = words.key } = props;
  if (!proposed) return <p>{none}</p>;
  const { security } = proposed;
  const { schemes, scopes } = readSecurity(security ? { security } : {});
  const named = schemes.map((scheme) => text.publisher.version.security.scheme[scheme].label);
  const open = proposed.operations.filter(({ anonymous }) => anonymous);
  return (
    <>
      <RadioGroup<"otherwise" | "document">
        label={words.who}
        value={chosen.isSecuredByDocument ? "document" : "otherwise"}
        onChange={(value) => onChange({ isSecuredByDocument: value === "document", isOpen: false })}
        choices={[
          { value: "otherwise", ...otherwise },
          {
            value: "document",
            label: words.document,
            detail: security ? words.documentDetail(named.join(", ")) : words.opensDetail,
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
