// Moving a version to another state: what it does and ends, with counts, and why.

import { useState } from "react";
import { moveVersion, impactOfMove } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { Touches } from "../../ui/Touches";
import { inForce } from "../../ui/in_force";
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
  const { title, lead, confirm, done } = words.moves[to];
  const isEnding = to !== "published";
  const submit = async () => {
    await inForce(moveVersion(version.id, { to, note }), done);
    onClose();
  };
  return (
    <Dialog title={title(words.named(api.name, version.name))} isOpen onClose={onClose}>
      <p>{lead}</p>
      {isEnding && version.state !== "created" && <Touches query={impactOfMove(version.id, to)} />}
      <Form onSubmit={submit}>
        {(isPending) => (
          <>
            <TextField
              label={words.moves.note}
              hint={words.moves.noteHint}
              value={note}
              onChange={setNote}
              pointer="/note"
            />
            <Actions>
              <Button type="submit" look={isEnding ? "danger" : "primary"} isPending={isPending}>
                {confirm}
              </Button>
              <Button onPress={onClose}>{text.ui.cancel}</Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
