import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { text } from "../text/text";
import { RANGES, type Range } from "./ranges";
import styles from "./RangeChoice.module.css";

interface RangeChoiceProps {
  range: Range;
  onRange: (range: Range) => void;
}

export function RangeChoice({ range, onRange }: RangeChoiceProps) {
  return (
    <ToggleButtonGroup
      aria-label={text.charts.range}
      className={styles["choice"] ?? ""}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[range]}
      onSelectionChange={(keys) => {
        for (const key of keys) onRange(key as Range);
      }}
    >
      {RANGES.map((name) => (
        <ToggleButton key={name} id={name} className={styles["range"] ?? ""}>
          {text.charts.ranges[name]}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
