// Checkboxes of operations, from up to thousands by a search.

import { useState } from "react";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { CheckboxGroup } from "../../ui/Checkbox";
import { SearchField } from "../../ui/SearchField";

const words = text.publisher.version.policies.scope;

interface OperationsPickerProps {
  label?: string;
  operations: readonly string[];
  chosen: readonly string[];
  onChange: (operations: readonly string[]) => void;
  /** JSON pointer of the chosen ones in the request. */
  pointer?: string;
}

/** Maximum number of operations shown at once. */
const SHOWN_MAX = 50;
/** Maximum number of operations that need no search. */
const UNSEARCHED_MAX = 8;

export function OperationsPicker(props: OperationsPickerProps) {
  const { label = words.choices, operations, chosen, onChange, pointer } = props;
  const [search, setSearch] = useState("");
  const isFound = (operation: string) => operation.toLowerCase().includes(search.toLowerCase());
  const found = operations.filter(isFound);
  const shown = found.slice(0, SHOWN_MAX);
  const change = (value: readonly string[]) => {
    const unseen = chosen.filter((it) => !shown.includes(it));
    onChange([...unseen, ...value.filter((it) => shown.includes(it))]);
  };
  return (
    <>
      {operations.length > UNSEARCHED_MAX && (
        <SearchField label={words.search} value={search} onSearch={setSearch} />
      )}
      {shown.length === 0 ? (
        <p>{words.noHit}</p>
      ) : (
        <CheckboxGroup
          label={label}
          value={chosen}
          onChange={change}
          choices={shown.map((value) => ({ value, label: value }))}
          {...(pointer === undefined ? {} : { pointer })}
        />
      )}
      {found.length > shown.length && <p>{words.cut(count(found.length - shown.length))}</p>}
    </>
  );
}
