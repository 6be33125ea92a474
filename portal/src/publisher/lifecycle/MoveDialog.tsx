// Moves a version to another state: shows the effect with its impact in counts, everything that is
// missing for it, and the options of the step.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Problem } from "../../api/problem";
import type { DefaultChange } from "../../api/queries/impact";
import { type TriedMove, impactOfMove, moveVersion } from "../../api/queries/lifecycle";
import type { VersionOverview } from "../../api/queries/overview";
import type { State } from "../../api/queries/versions";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Note } from "../../ui/Note";
import { Touches } from "../../ui/Touches";
import { inForce } from "../../ui/in_force";
import { useWithoutTokens } from "../use_without_tokens";
import type { Shown } from "../versions/VersionFrame";
import { type Need, fateOf, needOfFault } from "./arrows";
import { Needs } from "./Needs";
import { OlderFields } from "./OlderFields";
import { TermsFields } from "./TermsFields";
import { DefaultNote, DefaultSelect, DefaultTick } from "./DefaultFields";
import { KEPT, type NextDefault } from "./default_version";
import { defaultAfter, endsDefault, proposedDefault } from "./default_version";
import { NO_OLDER, NO_TERMS, type Terms, optionsOf, subscriptionsOf } from "./terms";
import {
  successorsAmong,
  useAreSiblingsPending,
  useNewestAfter,
  useSiblings,
} from "./use_siblings";

const words = text.publisher.version;

interface MoveDialogProps {
  shown: Shown;
  to: State;
  onClose: () => void;
}

/** The dialog of a step, once the other versions are known, of which it proposes one. */
export function MoveDialog(props: MoveDialogProps) {
  return useAreSiblingsPending(props.shown.version) ? null : <StepDialog {...props} />;
}

function StepDialog({ shown, to, onClose }: MoveDialogProps) {
  // The version changes before the dialog closes.
  const [{ api, version }] = useState(shown);
  const { state: from, id } = version;
  const name = words.named(api.name, version.name);
  const [note, setNote] = useState("");
  const [typed, setTyped] = useState("");
  const [edited, setTerms] = useState<Terms | null>(null);
  const [older, setOlder] = useState(NO_OLDER);
  const siblings = useSiblings(version);
  const newest = useNewestAfter(version);
  // Publishing makes the published version the successor.
  const successor = to === "deprecated" ? (newest?.version ?? "") : "";
  const terms = edited ?? { ...NO_TERMS, successor };
  const nextDefault = useNextDefault(version, to, siblings);
  const body: TriedMove = {
    to,
    ...defaultAfter(nextDefault.value),
    // A change of the default version refuses calls of applications without a subscription to it.
    ...(nextDefault.value === id ? subscriptionsOf(older) : {}),
  };
  const impact = impactOfMove(id, body);
  const tried = useTried(impact);
  const withoutTokens = useWithoutTokens(tried.needs.includes("tokens"));
  const { title, confirm, done } = words.moves[to];
  const isFirst = from === "created" || from === "prototyped";
  const fate = fateOf(from, to);
  const isEnding = fate === "end" && tried.subscriptions !== 0;
  const submit = async () => {
    await withoutTokens.attempt((without_tokens) => {
      const accepted = to === "published" ? { without_tokens } : {};
      const options = { note, ...accepted, ...optionsOf(to, terms, older) };
      return inForce(moveVersion(id, { ...body, ...options }), done);
    });
    onClose();
  };
  return (
    <FormDialog
      title={title(name)}
      submit={confirm}
      look={fate === "end" || to === "blocked" ? "danger" : "primary"}
      isDisabled={isEnding && typed !== name}
      isRefused={tried.isRefused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{leadOf(from, to)}</p>
      {tried.needs.length > 0 && (
        <Note tone="warning">
          <p>{words.moves.missing}</p>
          {words.lifecycle.first} <Needs version={id} needs={tried.needs} />
        </Note>
      )}
      {withoutTokens.tick}
      {fate && to !== "published" && <Touches query={impact} />}
      {to === "published" && isFirst && !tried.isRefused && (
        <OlderFields {...{ siblings, older, terms }} onOlder={setOlder} onTerms={setTerms} />
      )}
      {to === "deprecated" && (
        <TermsFields terms={terms} onChange={setTerms} successors={successorsAmong(siblings)} />
      )}
      {nextDefault.field}
      <DefaultNote context={api.context} change={tried.defaultChange} />
      {!tried.isRefused && (
        <TextField
          label={words.moves.note}
          hint={words.moves.noteHint}
          value={note}
          onChange={setNote}
          pointer="/note"
        />
      )}
      {isEnding && (
        <TextField
          label={text.ui.typeName(name)}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
        />
      )}
    </FormDialog>
  );
}

/** The default version after the step, and the field to choose it if the step offers that. */
function useNextDefault(
  version: Shown["version"],
  to: State,
  siblings: readonly VersionOverview[],
): { value: NextDefault; field: ReactNode } {
  const { id, name, state, is_default, deprecation } = version;
  const [chosen, onChange] = useState<NextDefault>();
  if (endsDefault(version, to)) {
    const next = chosen ?? proposedDefault(siblings, deprecation?.successor?.id);
    return { value: next, field: <DefaultSelect {...{ siblings, next, onChange }} /> };
  }
  if (is_default && to === "deprecated") {
    const next = chosen ?? KEPT;
    return { value: next, field: <DefaultSelect {...{ siblings, next, onChange }} kept={name} /> };
  }
  if (!is_default && to === "published" && (state === "created" || state === "prototyped")) {
    const isFirst = !siblings.some((sibling) => sibling.is_default);
    const next = chosen ?? (isFirst ? id : KEPT);
    return { value: next, field: <DefaultTick version={id} {...{ name, next, onChange }} /> };
  }
  return { value: KEPT, field: null };
}

interface Tried {
  /** Number of subscriptions; undefined while not known. */
  subscriptions: number | undefined;
  /** How it changes the default version; undefined if it does not. */
  defaultChange: DefaultChange | null | undefined;
  /** Everything that the step lacks. */
  needs: Need[];
  /** Whether the step cannot be made, even if access tokens are not needed. */
  isRefused: boolean;
}

/** Returns the result of the step's dry run. */
function useTried(impact: ReturnType<typeof impactOfMove>): Tried {
  const { data, error } = useQuery(impact);
  const faults = error === null ? [] : Problem.from(error).faults;
  const needs = faults.map(needOfFault).filter((need) => need !== undefined);
  const isRefused = needs.some((need) => need !== "tokens");
  const { subscriptions, default: defaultChange } = data ?? {};
  return { subscriptions, defaultChange, needs, isRefused };
}

function leadOf(from: State, to: State): string {
  if (to === "published" && from === "blocked") return words.moves.unblock;
  if (to === "published" && from === "deprecated") return words.moves.undeprecate;
  return words.moves[to].lead;
}
