// Moves a version to another state: shows the effect with its impact in counts, everything that is
// missing for it, and the options of the step.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/problem";
import { impactOfMove, moveVersion } from "../../api/queries/lifecycle";
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
import { NO_OLDER, NO_TERMS, type Terms, optionsOf } from "./terms";
import { successorsAmong, useNewestAfter, useSiblings } from "./use_siblings";

const words = text.publisher.version;

interface MoveDialogProps {
  shown: Shown;
  to: State;
  onClose: () => void;
}

export function MoveDialog({ shown: { api, version }, to, onClose }: MoveDialogProps) {
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
  const tried = useTried(id, to);
  const withoutTokens = useWithoutTokens(tried.needs.includes("tokens"));
  const { title, confirm, done } = words.moves[to];
  const isFirst = from === "created" || from === "prototyped";
  const fate = fateOf(from, to);
  const isEnding = fate === "end" && tried.subscriptions !== 0;
  const submit = async () => {
    await withoutTokens.attempt((without_tokens) => {
      const accepted = to === "published" ? { without_tokens } : {};
      const body = { to, note, ...accepted, ...optionsOf(to, terms, older) };
      return inForce(moveVersion(id, body), done);
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
      {fate && to !== "published" && <Touches query={impactOfMove(id, to)} />}
      {to === "published" && isFirst && !tried.isRefused && (
        <OlderFields {...{ siblings, older, terms }} onOlder={setOlder} onTerms={setTerms} />
      )}
      {to === "deprecated" && (
        <TermsFields terms={terms} onChange={setTerms} successors={successorsAmong(siblings)} />
      )}
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

interface Tried {
  /** Number of subscriptions; undefined while not known. */
  subscriptions: number | undefined;
  /** Everything that the step lacks. */
  needs: Need[];
  /** Whether the step cannot be made, even if access tokens are not needed. */
  isRefused: boolean;
}

/** Returns the result of the step's dry run. */
function useTried(id: string, to: State): Tried {
  const { data, error } = useQuery(impactOfMove(id, to));
  const faults = error === null ? [] : Problem.from(error).faults;
  const needs = faults.map(needOfFault).filter((need) => need !== undefined);
  const isRefused = needs.some((need) => need !== "tokens");
  return { subscriptions: data?.subscriptions, needs, isRefused };
}

function leadOf(from: State, to: State): string {
  if (to === "published" && from === "blocked") return words.moves.unblock;
  if (to === "published" && from === "deprecated") return words.moves.undeprecate;
  return words.moves[to].lead;
}
