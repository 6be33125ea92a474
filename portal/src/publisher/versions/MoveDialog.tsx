// Changes the state of a version: shows the effect, its impact in counts, and a field for the
// reason.

import { useState } from "react";
import { moveVersion, impactOfMove } from "../../api/queries/versions";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Touches } from "../../ui/Touches";
import { inForce } from "../../ui/in_force";
import { useWithoutTokens } from "../use_without_tokens";
import type { Shown } from "./VersionFrame";

const words = text.publisher.version;

/** The states that this release's gateways serve. */
export type Move = "created" | "prototyped" | "published" | "blocked";

interface MoveDialogProps {
  shown: Shown;
  to: Move;
  onClose: () => void;
}

export function MoveDialog({ shown: { api, version }, to, onClose }: MoveDialogProps) {
  const [note, setNote] = useState("");
  const withoutTokens = useWithoutTokens();
  const { title, lead, confirm, done } = words.moves[to];
  const isEnding = to !== "published" && version.state !== "created";
  const submit = async () => {
    await withoutTokens.attempt((without_tokens) =>
      inForce(moveVersion(version.id, { to, note, without_tokens }), done),
    );
    onClose();
  };
  return (
    <FormDialog
      title={title(words.named(api.name, version.name))}
      submit={confirm}
      look={isEnding ? "danger" : "primary"}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{version.state === "blocked" && to === "published" ? words.moves.unblock : lead}</p>
      {withoutTokens.tick}
      {isEnding && <Touches query={impactOfMove(version.id, to)} />}
      <TextField
        label={words.moves.note}
        hint={words.moves.noteHint}
        value={note}
        onChange={setNote}
        pointer="/note"
      />
    </FormDialog>
  );
}
