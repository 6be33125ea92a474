import type { ReactNode } from "react";
import { zone } from "../../text/format";
import { text } from "../../text/text";
import { Disclosure } from "../../ui/Disclosure";
import { Select, TextField } from "../../ui/Field";
import { EnvironmentChoice } from "./EnvironmentChoice";
import type { Expiry, Terms } from "./terms";

const words = text.developer.credentials;
const EXPIRIES: readonly Expiry[] = ["never", "30", "90", "365", "date"];

interface TermsFieldsProps {
  terms: Terms;
  onChange: (terms: Terms) => void;
  /** Whether the credential is new: the environment of an existing one cannot change. */
  isNew: boolean;
  /** Fields of the kind, placed before the rarely used ones. */
  children?: ReactNode;
}

/** The fields that all kinds of credentials share. */
export function TermsFields({ terms, onChange, isNew, children }: TermsFieldsProps) {
  const set = (change: Partial<Terms>) => onChange({ ...terms, ...change });
  return (
    <>
      <TextField
        label={words.name}
        value={terms.name}
        onChange={(name) => set({ name })}
        autoFocus
        isRequired
        pointer="/name"
      />
      {isNew && (
        <EnvironmentChoice
          environment={terms.environment}
          onChange={(environment) => set({ environment })}
        />
      )}
      {children}
      <Disclosure title={words.more} isOpen={!isNew}>
        <Select<Expiry>
          label={words.expiry}
          value={terms.expiry}
          choices={EXPIRIES.map((value) => ({ value, label: words.expiries[value] }))}
          onChange={(expiry) => set({ expiry })}
          pointer="/expires_at"
        />
        {terms.expiry === "date" && (
          <TextField
            label={words.endsAt}
            type="datetime-local"
            value={terms.endsAt}
            onChange={(endsAt) => set({ endsAt })}
            hint={zone()}
            isRequired
          />
        )}
        <TextField
          label={words.addresses}
          value={terms.addresses}
          onChange={(addresses) => set({ addresses })}
          lines={2}
          mono
          hint={words.addressesHint}
          pointer="/allowed/addresses"
        />
        <TextField
          label={words.origins}
          value={terms.origins}
          onChange={(origins) => set({ origins })}
          lines={2}
          mono
          hint={words.originsHint}
          pointer="/allowed/origins"
        />
      </Disclosure>
    </>
  );
}
