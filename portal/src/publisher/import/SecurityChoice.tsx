// How callers prove who they are: an API key, or as the document says. What the document opens to
// anybody is opened only where one says so.

import type { Preview, ProposedSecurity } from "../../api/queries/imports";
import { text } from "../../text/text";
import { Checkbox } from "../../ui/Checkbox";
import { RadioGroup } from "../../ui/RadioGroup";
import { operationsByToken, readSecurity } from "../versions/security_fields";

const words = text.publisher.import.security;

export interface SecurityChosen {
  isSecuredByDocument: boolean;
  isOpen: boolean;
}

/** How many operations would be called with an access token alone. */
export function proposedByToken(
  { security: proposed, operations }: Preview,
  { isSecuredByDocument, isOpen }: SecurityChosen,
): number {
  if (!proposed || !isSecuredByDocument) return 0;
  const access = new Map(proposed.operations.map((it) => [`${it.method} ${it.path}`, it]));
  const imported = operations.map(({ method, name }) => {
    const { scopes = [], anonymous = false } = access.get(`${method} ${name}`) ?? {};
    return { scopes, anonymous: anonymous && isOpen };
  });
  return operationsByToken({ security: proposed.security }, imported);
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
