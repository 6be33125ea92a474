import { text } from "../text/text";
import { Method } from "../ui/Badge";
import { Card } from "../ui/Card";
import { Markdown } from "../ui/Markdown";
import type { Callback } from "./document/operations";
import { Message } from "./Message";
import styles from "./Details.module.css";

const words = text.reference.callbacks;

interface CallbacksProps {
  document: unknown;
  callbacks: readonly Callback[];
}

/** Requests that the API sends to an address given in the call. */
export function Callbacks({ document, callbacks }: CallbacksProps) {
  if (callbacks.length === 0) return null;
  return (
    <Card title={words.title} note={words.lead}>
      {callbacks.map(({ name, method, address, title, description, body, answers }) => (
        <section key={`${name} ${method} ${address}`} className={styles["group"]}>
          <h3>{title ?? name}</h3>
          <p className={styles["line"]}>
            <Method name={method} />
            <code className={styles["type"]}>{address}</code>
          </p>
          {description && <Markdown source={description} />}
          {body && (
            <Message document={document} bodies={body.bodies} of={words.one(name)} isRequest />
          )}
          {answers.length > 0 && (
            <p className={styles["quiet"]}>
              {words.answers(answers.map(({ status }) => status).join(", "))}
            </p>
          )}
        </section>
      ))}
    </Card>
  );
}
