// Moves a version to another state: shows the effect with its impact in counts, everything that is
// missing for it, and the options of the step.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type TriedMove, impactOfMove, moveVersion } from "../../api/queries/lifecycle";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import type { State } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/Field";
import { DialogForm } from "../../ui/FormDialog";
import { Loaded, Skeleton } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { Touches } from "../../ui/Touches";
import { inForce } from "../../ui/in_force";
import { useWithoutTokens } from "../use_without_tokens";
import type { Shown } from "../versions/VersionFrame";
import { type Need, fateOf } from "./arrows";
import { DefaultEffect, DefaultSelect, DefaultTick } from "./DefaultFields";
import { Needs } from "./Needs";
import { OlderFields } from "./OlderFields";
import { TermsFields } from "./TermsFields";
import { KEPT, type NextDefault, callableAmong } from "./default_version";
import { defaultAfter, endsDefault, proposedDefault } from "./default_version";
import { NO_OLDER, NO_TERMS, type Terms, optionsOf, subscriptionsOf } from "./terms";
import { newestAfter, siblingsAmong, successorsAmong } from "./use_siblings";
import { keepingCounts, useTriedMove } from "./use_tried";

const words = text.publisher.version.moves;

interface MoveDialogProps {
  shown: Shown;
  to: State;
  onClose: () => void;
}

/** The dialog of a step; its form needs the other versions, of which it proposes one. */
export function MoveDialog({ shown, to, onClose }: MoveDialogProps) {
  // The version changes before the dialog closes.
  const [{ api, version }] = useState(shown);
  const query = useQuery(versionsOfApi(version.api).whole);
  const name = text.publisher.version.named(api.name, version.name);
  return (
    <Dialog title={words[to].title(name)} isOpen onClose={onClose}>
      <p>{leadOf(version.state, to)}</p>
      <Loaded query={query}>
        {({ items }) => <StepForm {...{ api, version, name, to, onClose }} all={items} />}
      </Loaded>
    </Dialog>
  );
}

interface StepFormProps extends Pick<Shown, "api" | "version"> {
  /** Names of the API and the version. */
  name: string;
  to: State;
  /** All versions of the API, newest first. */
  all: readonly VersionOverview[];
  onClose: () => void;
}

function StepForm({ api, version, name, to, all, onClose }: StepFormProps) {
  const { state: from, id } = version;
  const [note, setNote] = useState("");
  const [typed, setTyped] = useState("");
  const [edited, setTerms] = useState<Terms | null>(null);
  const [older, setOlder] = useState(NO_OLDER);
  const siblings = siblingsAmong(all, id);
  // Publishing makes the published version the successor.
  const successor = to === "deprecated" ? (newestAfter(all, id)?.version ?? "") : "";
  const terms = edited ?? { ...NO_TERMS, successor };
  const nextDefault = useNextDefault(version, to, siblings);
  const body: TriedMove = {
    to,
    ...defaultAfter(nextDefault.value),
    // A change of the default version refuses calls of applications without a subscription to it.
    ...(nextDefault.value === id ? subscriptionsOf(older) : {}),
  };
  const impact = impactOfMove(id, body);
  const tried = useTriedMove(id, body);
  const withoutTokens = useWithoutTokens(tried?.needs.includes("tokens"));
  if (!tried) return <Skeleton />;
  const { confirm, done } = words[to];
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
    <DialogForm
      submit={confirm}
      look={fate === "end" || to === "blocked" ? "danger" : "primary"}
      isDisabled={tried.isTrying || (isEnding && typed !== name)}
      isRefused={tried.isRefused}
      onSubmit={submit}
      onClose={onClose}
    >
      <Missing version={id} needs={tried.needs} />
      {withoutTokens.tick}
      {fate && to !== "published" && <Touches query={keepingCounts(impact)} />}
      {to === "published" && isFirst && !tried.isRefused && (
        <OlderFields {...{ siblings, older, terms }} onOlder={setOlder} onTerms={setTerms} />
      )}
      {to === "deprecated" && (
        <TermsFields terms={terms} onChange={setTerms} successors={successorsAmong(siblings)} />
      )}
      {!tried.isRefused && (
        <>
          {nextDefault.field}
          <DefaultEffect {...{ tried }} {...api} hasChoice={Boolean(nextDefault.field)} />
          <NoteField note={note} onChange={setNote} />
        </>
      )}
      {isEnding && (
        <TextField
          label={text.ui.typeName(name)}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
        />
      )}
    </DialogForm>
  );
}

/** Everything that a step lacks, with links to the pages that have it. */
function Missing({ version, needs }: { version: string; needs: readonly Need[] }) {
  if (needs.length === 0) return null;
  return (
    <Note tone="warning">
      <p>{words.missing}</p>
      {text.publisher.version.lifecycle.first} <Needs version={version} needs={needs} />
    </Note>
  );
}

function NoteField({ note, onChange }: { note: string; onChange: (note: string) => void }) {
  return (
    <TextField
      label={words.note}
      hint={words.noteHint}
      value={note}
      onChange={onChange}
      pointer="/note"
    />
  );
}

/** The default version after the step, and the field to choose it if there is a choice. */
function useNextDefault(
  version: Shown["version"],
  to: State,
  siblings: readonly VersionOverview[],
): { value: NextDefault; field: ReactNode } {
  const { id, name, state, is_default, deprecation } = version;
  const [chosen, onChange] = useState<NextDefault>();
  const ofChoice = (next: NextDefault, kept?: string) => ({
    value: next,
    field: callableAmong(siblings).length > 0 && (
      <DefaultSelect {...{ siblings, next, onChange, kept }} />
    ),
  });
  if (endsDefault(version, to)) {
    return ofChoice(chosen ?? proposedDefault(siblings, deprecation?.successor?.id));
  }
  if (is_default && to === "deprecated") return ofChoice(chosen ?? KEPT, name);
  if (!is_default && to === "published" && (state === "created" || state === "prototyped")) {
    const isFirst = !siblings.some((sibling) => sibling.is_default);
    const next = chosen ?? (isFirst ? id : KEPT);
    return { value: next, field: <DefaultTick version={id} {...{ name, next, onChange }} /> };
  }
  return { value: KEPT, field: null };
}

function leadOf(from: State, to: State): string {
  if (to === "published" && from === "blocked") return words.unblock;
  if (to === "published" && from === "deprecated") return words.undeprecate;
  return words[to].lead;
}
