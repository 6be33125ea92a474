// Chooses operations in a dialog.

import { useState } from "react";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { OperationsPicker } from "./OperationsPicker";

const words = text.publisher.version.policies.scope;

interface OperationsChoiceProps {
  title: string;
  operations: readonly string[];
  /** Those that cannot be chosen. */
  taken: readonly string[];
  /** Those that are chosen initially. */
  chosen: readonly string[];
  onChoose: (operations: readonly string[]) => void;
  onClose: () => void;
}

export function OperationsChoice(props: OperationsChoiceProps) {
  const { title, operations, taken: others, onChoose, onClose } = props;
  const [chosen, setChosen] = useState(props.chosen);
  const taken = new Set(others);
  const free = operations.filter((it) => !taken.has(it));
  return (
    // No form: Enter in the search must not choose.
    <Dialog title={title} isOpen onClose={onClose}>
      <OperationsPicker operations={free} chosen={chosen} onChange={setChosen} />
      <Actions>
        <Button
          look="primary"
          why={chosen.length === 0 ? words.none : undefined}
          onPress={() => onChoose(chosen)}
        >
          {words.confirm}
        </Button>
        <Button onPress={onClose}>{text.ui.cancel}</Button>
      </Actions>
    </Dialog>
  );
}
