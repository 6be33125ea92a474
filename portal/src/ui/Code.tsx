// Machine-readable text, shown in full and copied with one press.

import { CopyButton } from "./CopyButton";
import { PIECE, piecesOf } from "./pieces";
import styles from "./Code.module.css";

interface CodeProps {
  value: string;
  /** Label for screen readers. */
  label: string;
  /** Whether it is taller before it scrolls. */
  tall?: boolean;
}

export function Code({ value, label, tall }: CodeProps) {
  return (
    <div className={styles["frame"]}>
      <pre
        className={`${styles["code"]} ${tall ? styles["tall"] : ""}`}
        aria-label={label}
        tabIndex={0}
        role="region"
      >
        {value.length > PIECE ? <Pieces value={value} /> : value}
      </pre>
      <span className={styles["copy"]}>
        <CopyButton value={value} label={label} />
      </span>
    </div>
  );
}

/** Splits a long text into pieces, so that browsers lay out only those in view. */
function Pieces({ value }: { value: string }) {
  return piecesOf(value).map((piece, at) => (
    <span key={at} className={styles["piece"]}>
      {piece}
    </span>
  ));
}

/** A path, an id or an address within a line. */
export function InlineCode({ value, label }: { value: string; label: string }) {
  return (
    <span className={styles["inline"]}>
      <code>{value}</code>
      <CopyButton value={value} label={label} isQuiet />
    </span>
  );
}
