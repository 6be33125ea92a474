import type { VersionOverview } from "../../api/queries/overview";
import { zone } from "../../text/format";
import { text } from "../../text/text";
import { Select, TextField } from "../../ui/Field";
import type { Terms } from "./terms";

const words = text.publisher.version.deprecation;

interface TermsFieldsProps {
  terms: Terms;
  onChange: (terms: Terms) => void;
  /** JSON pointer of the terms in the request. */
  under?: string;
  /** The versions to choose a successor from; absent if it is already known. */
  successors?: readonly VersionOverview[];
}

/** The announced end, the successor and the text of a deprecation. */
export function TermsFields({ terms, onChange, under = "", successors }: TermsFieldsProps) {
  const set = (change: Partial<Terms>) => onChange({ ...terms, ...change });
  return (
    <>
      <TextField
        label={words.sunset}
        type="datetime-local"
        value={terms.sunset}
        onChange={(sunset) => set({ sunset })}
        hint={words.sunsetHint(zone())}
        pointer={`${under}/sunset`}
      />
      {successors && (
        <Select
          label={words.successor}
          value={terms.successor}
          choices={[
            { value: "", label: words.noSuccessor },
            ...successors.map(({ version, name, state }) => ({
              value: version,
              label: name,
              detail: text.nouns.states[state],
            })),
          ]}
          onChange={(successor) => set({ successor })}
          pointer="/successor"
        />
      )}
      <TextField
        label={words.text}
        value={terms.text}
        onChange={(text) => set({ text })}
        hint={words.textHint}
        lines={3}
        pointer={`${under}/text`}
      />
    </>
  );
}
