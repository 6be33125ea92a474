// Chooses operations, from up to thousands by a search.

import { useState } from "react";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { CheckboxGroup } from "../../ui/Checkbox";
import { Actions, Dialog } from "../../ui/Dialog";
import { SearchField } from "../../ui/SearchField";

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

/** Maximum number of operations shown at once. */
const SHOWN_MAX = 50;

export function OperationsChoice(props: OperationsChoiceProps) {
  const { title, operations, taken: others, onChoose, onClose } = props;
  const [chosen, setChosen] = useState(props.chosen);
  const [search, setSearch] = useState("");
  const taken = new Set(others);
  const isFound = (operation: string) => operation.toLowerCase().includes(search.toLowerCase());
  const found = operations.filter((it) => !taken.has(it) && isFound(it));
  const shown = found.slice(0, SHOWN_MAX);
  const change = (value: readonly string[]) => {
    const unseen = chosen.filter((it) => !shown.includes(it));
    setChosen([...unseen, ...value.filter((it) => shown.includes(it))]);
  };
  return (
    // No form: Enter in the search must not choose.
    <Dialog title={title} isOpen onClose={onClose}>
      <SearchField label={words.search} value={search} onSearch={setSearch} />
      {shown.length === 0 ? (
        <p>{words.noHit}</p>
      ) : (
        <CheckboxGroup
          label={words.choices}
          value={chosen}
          onChange={change}
          choices={shown.map((value) => ({ value, label: value }))}
        />
      )}
      {found.length > shown.length && <p>{words.cut(count(found.length - shown.length))}</p>}
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
