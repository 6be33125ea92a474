import { FileTrigger } from "react-aria-components";
import { Button } from "./Button";
import styles from "./FileField.module.css";

interface FileFieldProps {
  label: string;
  files: readonly File[];
  onChange: (files: readonly File[]) => void;
  isMultiple: boolean;
  /** Label of the button. */
  choose: string;
  /** Text beside the button while no file is chosen. */
  none: string;
  fault?: string | undefined;
}

/** Local files, which the page passes on and does not store. */
export function FileField(props: FileFieldProps) {
  const { label, files, onChange, isMultiple, choose, none, fault } = props;
  return (
    <div className={styles["field"]} role="group" aria-label={label}>
      <span className={styles["label"]}>{label}</span>
      <span className={styles["chosen"]}>
        <FileTrigger
          allowsMultiple={isMultiple}
          onSelect={(chosen) => onChange([...(chosen ?? [])])}
        >
          <Button small aria-label={`${choose}: ${label}`}>
            {choose}
          </Button>
        </FileTrigger>
        <span role="status">{files.map(({ name }) => name).join(", ") || none}</span>
      </span>
      {fault !== undefined && (
        <span className={styles["fault"]} role="alert">
          {fault}
        </span>
      )}
    </div>
  );
}
