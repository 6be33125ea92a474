// Somebody else has saved the draft meanwhile: their part beside yours, and which of them stays.

import type { Configuration, DraftPatch } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { Actions, Dialog } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { Grid } from "../../ui/Page";

const words = text.publisher.version.conflict;

interface DraftConflictProps {
  yours: DraftPatch;
  theirs: Configuration;
  onKeep: () => Promise<void>;
  onTake: () => void;
  onClose: () => void;
}

export function DraftConflict({ yours, theirs, onKeep, onTake, onClose }: DraftConflictProps) {
  const parts = Object.entries(theirs).filter(([part]) => part in yours);
  return (
    <Dialog wide title={words.title} isOpen onClose={onClose}>
      <p>{words.lead}</p>
      <Grid columns="2">
        <div>
          <h3>{words.theirs}</h3>
          <Code label={words.theirs} value={shown(Object.fromEntries(parts))} />
        </div>
        <div>
          <h3>{words.yours}</h3>
          <Code label={words.yours} value={shown(yours)} />
        </div>
      </Grid>
      <Form onSubmit={onKeep}>
        {(isPending) => (
          <Actions>
            <Button type="submit" look="primary" isPending={isPending}>
              {words.keep}
            </Button>
            <Button onPress={onTake}>{words.take}</Button>
          </Actions>
        )}
      </Form>
    </Dialog>
  );
}

/** As JSON without what is absent, with the secrets that were typed hidden. */
function shown(value: object): string {
  const without = (name: string, member: unknown) => {
    if (member === null) return undefined;
    return /^(value|password)$/.test(name) ? "***" : member;
  };
  return JSON.stringify(value, without, 2);
}
