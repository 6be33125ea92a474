// Moving a version to another state: what it does and ends, with counts, and why.

import { useState } from "react";
import { moveVersion, impactOfMove } from "../../api/queries/versions";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Touches } from "../../ui/Touches";
import { inForce } from "../../ui/in_force";
import { useUncallable, WithoutTokens } from "../WithoutTokens";
import type { Shown } from "./VersionFrame";
import { operationsByToken } from "./security_fields";

const words = text.publisher.version;

/** The states that this release's gateways serve. */
export type Move = "created" | "prototyped" | "published" | "blocked";

interface MoveDialogProps {
  shown: Shown;
  to: Move;
  onClose: () => void;
}

export function MoveDialog({ shown: { api, version, draft }, to, onClose }: MoveDialogProps) {
  const [note, setNote] = useState("");
  const [isAccepted, setAccepted] = useState(false);
  // A blocked version was published: that was decided then.
  const byToken =
    to === "published" && version.state !== "blocked" ? operationsByToken(draft.value) : 0;
  const uncallable = useUncallable(byToken);
  const { title, lead, confirm, done } = words.moves[to];
  const isEnding = to !== "published" && version.state !== "created";
  const submit = async () => {
    const without_tokens = uncallable > 0 && isAccepted;
    await inForce(moveVersion(version.id, { to, note, without_tokens }), done);
    onClose();
  };
  return (
    <FormDialog
      title={title(words.named(api.name, version.name))}
      submit={confirm}
      look={isEnding ? "danger" : "primary"}
      why={uncallable > 0 && !isAccepted ? text.publisher.withoutTokens.needed : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{version.state === "blocked" && to === "published" ? words.moves.unblock : lead}</p>
      <WithoutTokens count={uncallable} isAccepted={isAccepted} onChange={setAccepted} />
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
