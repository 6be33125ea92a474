import type { ReactNode } from "react";
import { text } from "../text/text";
import { Breakable } from "../ui/Breakable";
import { Markdown } from "../ui/Markdown";
import styles from "./Details.module.css";

interface FieldRowProps {
  name: string;
  /** Its type, or the button that opens it. */
  type: ReactNode;
  isRequired?: boolean;
  isDeprecated?: boolean;
  /** Bounds, default, format. */
  constraints: readonly string[];
  description: string | undefined;
  /** Its content, shown below. */
  children?: ReactNode;
}

/** A parameter, a header or a member: facts in one line, the description below at full width. */
export function FieldRow(props: FieldRowProps) {
  const { name, type, isRequired, isDeprecated, constraints, description, children } = props;
  return (
    <li className={styles["field"]}>
      <p className={styles["line"]}>
        <code className={isDeprecated ? styles["deprecated"] : styles["name"]}>
          <Breakable>{name}</Breakable>
        </code>
        {type}
        {isRequired && <span className={styles["required"]}>{text.reference.schema.required}</span>}
        {isDeprecated && <span className={styles["quiet"]}>{text.reference.deprecated}</span>}
        {constraints.length > 0 && (
          <span className={styles["quiet"]}>{constraints.join(" · ")}</span>
        )}
      </p>
      {description && <Markdown source={description} />}
      {children}
    </li>
  );
}

export function TypeName({ children }: { children: string }) {
  return (
    <code className={styles["type"]}>
      <Breakable>{children}</Breakable>
    </code>
  );
}
