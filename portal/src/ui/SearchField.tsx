import { useEffect, useState } from "react";
import { Input, Label, SearchField as AriaSearchField } from "react-aria-components";
import { Icon } from "./Icon";
import styles from "./SearchField.module.css";
import hidden from "./Announced.module.css";

interface SearchFieldProps {
  label: string;
  value: string;
  /** Called when typing pauses. */
  onSearch: (value: string) => void;
}

const PAUSE_MS = 200;

export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    // Back and Forward change the value from outside.
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onSearch(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <AriaSearchField
      className={styles["search"] ?? ""}
      value={typed}
      onChange={setTyped}
      // Enter must not submit a form that it is part of.
      onSubmit={onSearch}
    >
      <Label className={hidden["hidden"] ?? ""}>{label}</Label>
      <Icon name="search" />
      <Input className={styles["input"] ?? ""} placeholder={label} maxLength={200} />
    </AriaSearchField>
  );
}
