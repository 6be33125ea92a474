import type { VersionOverview } from "../../api/queries/overview";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { CheckboxGroup } from "../../ui/Checkbox";
import { Select } from "../../ui/Field";
import { TermsFields } from "./TermsFields";
import type { Older, Terms } from "./terms";
import { deprecatableAmong } from "./use_siblings";

const words = text.publisher.version.moves.older;

interface OlderFieldsProps {
  siblings: readonly VersionOverview[];
  older: Older;
  terms: Terms;
  onOlder: (older: Older) => void;
  onTerms: (terms: Terms) => void;
}

/** What publishing a version does to older ones: their subscriptions, and their deprecation. */
export function OlderFields({ siblings, older, terms, onOlder, onTerms }: OlderFieldsProps) {
  const subscribed = siblings.filter(({ subscriptions }) => subscriptions > 0);
  const deprecatable = deprecatableAmong(siblings);
  return (
    <>
      {subscribed.length > 0 && (
        <Select
          label={words.from}
          value={older.from}
          choices={[
            { value: "", label: words.nobody },
            ...subscribed.map(({ version, name, subscriptions }) => ({
              value: version,
              label: words.ofVersion(name, count(subscriptions)),
            })),
          ]}
          onChange={(from) => onOlder({ ...older, from })}
          hint={words.fromHint}
          pointer="/from"
        />
      )}
      {deprecatable.length > 0 && (
        <CheckboxGroup
          label={words.deprecate}
          choices={deprecatable.map(({ version, name, state }) => ({
            value: version,
            label: name,
            detail: text.nouns.states[state],
          }))}
          value={older.deprecate}
          onChange={(deprecate) => onOlder({ ...older, deprecate })}
          pointer="/deprecate/versions"
        />
      )}
      {older.deprecate.length > 0 && (
        <TermsFields terms={terms} onChange={onTerms} under="/deprecate" />
      )}
    </>
  );
}
