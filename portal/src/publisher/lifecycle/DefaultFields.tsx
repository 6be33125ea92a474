import type { DefaultChange } from "../../api/queries/impact";
import type { VersionOverview } from "../../api/queries/overview";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Checkbox } from "../../ui/Checkbox";
import { Select } from "../../ui/Field";
import { FixedFrame } from "../../ui/FixedFrame";
import { Note } from "../../ui/Note";
import { ProblemNote } from "../../ui/ProblemNote";
import styles from "./DefaultFields.module.css";
import {
  KEPT,
  NO_DEFAULT,
  type NextDefault,
  callableAmong,
  lackingInWords,
} from "./default_version";
import type { Tried } from "./use_tried";

const words = text.publisher.version.moves.default;

interface DefaultSelectProps {
  siblings: readonly VersionOverview[];
  next: NextDefault;
  /** Name of the version that may stay the default one; absent if it cannot. */
  kept?: string | undefined;
  onChange: (next: NextDefault) => void;
}

/** Chooses the next default version among those that can be called. */
export function DefaultSelect({ siblings, next, kept, onChange }: DefaultSelectProps) {
  return (
    <Select
      label={words.label}
      value={next}
      choices={[
        ...(kept === undefined ? [] : [{ value: KEPT, label: words.kept(kept) }]),
        ...callableAmong(siblings).map(({ version, name, state }) => ({
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

interface DefaultEffectProps {
  context: string;
  tried: Tried;
  /** Whether the user chooses the default version: then a frame has room for each effect. */
  hasChoice: boolean;
}

/** What a step means for callers without a version in the path. */
export function DefaultEffect({ context, tried, hasChoice }: DefaultEffectProps) {
  const { defaultChange, error, isTrying, retry } = tried;
  if (!hasChoice) return defaultChange && <DefaultNote context={context} change={defaultChange} />;
  return (
    <FixedFrame low label={words.effect} isBusy={isTrying}>
      {defaultChange ? (
        <DefaultNote context={context} change={defaultChange} />
      ) : error ? (
        <ProblemNote error={error} onRetry={retry} />
      ) : (
        <p>{words.stays}</p>
      )}
    </FixedFrame>
  );
}

interface DefaultNoteProps {
  context: string;
  change: DefaultChange;
  /** Why nobody can call the next one; absent if it can be called, or there is none. */
  unavailable?: string | undefined;
}

/** What a change of the default version means, and for whom. */
export function DefaultNote({ context, change, unavailable }: DefaultNoteProps) {
  const { previous, next, lacking, applications } = change;
  const more = lacking - applications.length;
  return (
    <Note tone={lacking > 0 || !next ? "warning" : "information"}>
      <div className={styles["effect"]}>
        <p>{next ? words.next(context, next.name) : (unavailable ?? words.nobody(context))}</p>
        {lacking > 0 && previous && (
          <>
            <p>{lackingInWords(count(lacking), previous, next)}</p>
            <ul aria-label={words.applications}>
              {applications.map(({ id, name, owner_name }) => (
                <li key={id}>{words.application(name, owner_name)}</li>
              ))}
              {more > 0 && <li>{words.more(count(more))}</li>}
            </ul>
          </>
        )}
      </div>
    </Note>
  );
}
