import { Method } from "./Badge";
import { Breakable } from "./Breakable";
import styles from "./OperationName.module.css";

interface OperationNameProps {
  /** Absent for operations of SOAP services. */
  method?: string | undefined;
  name: string;
}

/** An operation as a line: its method, and its path or name. */
export function OperationName({ method, name }: OperationNameProps) {
  return (
    <span className={styles["operation"]}>
      {method && <Method name={method} />}
      <code>
        <Breakable>{name}</Breakable>
      </code>
    </span>
  );
}
