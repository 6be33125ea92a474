import { text } from "../../text/text";
import { Disclosure } from "../../ui/Disclosure";
import styles from "./ExpressionNames.module.css";

const words = text.publisher.version.policies.names;

/** The names and functions of expressions, in brief. */
export function ExpressionNames() {
  return (
    <Disclosure title={words.title}>
      <p>{words.lead}</p>
      <dl className={styles["names"]}>
        {words.list.map(([of, names]) => (
          <div key={names}>
            <dt>{of}</dt>
            <dd>
              <code>{names}</code>
            </dd>
          </div>
        ))}
      </dl>
      <p>
        <code>{words.functions}</code>
      </p>
      <p>{words.reference}</p>
    </Disclosure>
  );
}
