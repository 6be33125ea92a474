// A concurrent change of what a form edits: both values side by side, and a choice which to keep.

import { count } from "../text/format";
import { text } from "../text/text";
import { Button } from "./Button";
import { Actions, Dialog } from "./Dialog";
import { Form } from "./Form";
import { type Column, Table } from "./Table";
import type { Difference } from "./differences";

const words = text.ui.conflict;

interface ConflictProps {
  differences: readonly Difference[];
  onKeep: () => Promise<void>;
  onTake: () => void;
  onClose: () => void;
}

export function Conflict({ differences, onKeep, onTake, onClose }: ConflictProps) {
  return (
    <Dialog wide title={words.title} isOpen onClose={onClose}>
      <p>{words.lead}</p>
      <Table
        label={words.title}
        columns={COLUMNS}
        rows={differences.slice(0, SHOWN_MAX)}
        keyOf={({ path }) => path}
      />
      {differences.length > SHOWN_MAX && <p>{words.more(count(differences.length - SHOWN_MAX))}</p>}
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

/** Maximum number of differences shown: a change may affect every operation. */
const SHOWN_MAX = 20;

const COLUMNS: readonly Column<Difference>[] = [
  { title: words.what, isName: true, cell: ({ path }) => <code>{path}</code> },
  { title: words.theirs, cell: ({ theirs }) => <code>{shown(theirs)}</code> },
  { title: words.yours, cell: ({ yours }) => <code>{shown(yours)}</code> },
];

function shown(value: unknown): string {
  if (value === null || value === "") return text.ui.none;
  return typeof value === "string" ? value : JSON.stringify(value);
}
