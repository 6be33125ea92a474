import type { DefaultChange } from "../../api/queries/impact";
import type { VersionOverview } from "../../api/queries/overview";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Checkbox } from "../../ui/Checkbox";
import { Select } from "../../ui/Field";
import { Note } from "../../ui/Note";
import { KEPT, NO_DEFAULT, type NextDefault, callableAmong } from "./default_version";

const words = text.publisher.version.moves.default;

interface DefaultSelectProps {
  siblings: readonly VersionOverview[];
  next: NextDefault;
  /** Name of the version that may stay the default one; absent if it cannot. */
  kept?: string | undefined;
  onChange: (next: NextDefault) => void;
}

/** Chooses the next default version; renders nothing if no other version can be called. */
export function DefaultSelect({ siblings, next, kept, onChange }: DefaultSelectProps) {
  const callable = callableAmong(siblings);
  if (callable.length === 0) return null;
  return (
    <Select
      label={words.label}
      value={next}
      choices={[
        ...(kept === undefined ? [] : [{ value: KEPT, label: words.kept(kept) }]),
        ...callable.map(({ version, name, state }) => ({
          value: version,
          label: name,
          detail: text.nouns.states[state],
        })),
        { value: NO_DEFAULT, label: words.none },
      ]}
      onChange={onChange}
      hint={words.hint}
      pointer="/default"
    />
  );
}

interface DefaultTickProps {
  version: string;
  name: string;
  next: NextDefault;
  onChange: (next: NextDefault) => void;
}

/** Offers to make a version that is published the default one. */
export function DefaultTick({ version, name, next, onChange }: DefaultTickProps) {
  return (
    <Checkbox
      isSelected={next === version}
      onChange={(isSelected) => onChange(isSelected ? version : KEPT)}
      hint={words.hint}
    >
      {words.make(name)}
    </Checkbox>
  );
}

interface DefaultNoteProps {
  context: string;
  change: DefaultChange | null | undefined;
}

/** What a change of the default version means, and for whom. Renders nothing without one. */
export function DefaultNote({ context, change }: DefaultNoteProps) {
  if (!change) return null;
  const { previous, next, lacking, applications } = change;
  const more = lacking - applications.length;
  return (
    <Note tone={lacking > 0 || !next ? "warning" : "information"}>
      <p>{next ? words.next(context, next.name) : words.nobody(context)}</p>
      {lacking > 0 && previous && (
        <>
          <p>{words.lacking(count(lacking), previous.name, next?.name)}</p>
          <ul aria-label={words.applications}>
            {applications.map(({ id, name, owner_name }) => (
              <li key={id}>{words.application(name, owner_name)}</li>
            ))}
            {more > 0 && <li>{words.more(count(more))}</li>}
          </ul>
        </>
      )}
    </Note>
  );
}
