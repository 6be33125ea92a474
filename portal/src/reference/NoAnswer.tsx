import { text } from "../text/text";
import { Code } from "../ui/Code";
import { Note } from "../ui/Note";
import type { NoAnswer as Cause } from "./call";
import styles from "./TryIt.module.css";

const words = text.reference.answer;

/** The likely reason why the page got no response, and the call as a shell command. */
export function NoAnswer({ cause, curl }: { cause: Cause; curl: string }) {
  if (cause === "cancelled") return <p className={styles["quiet"]}>{words.causes.cancelled}</p>;
  return (
    <>
      <Note tone="bad">
        <strong>{words.noAnswer}</strong>
        <p>{words.causes[cause]}</p>
      </Note>
      <p className={styles["quiet"]}>{words.curl}</p>
      <Code value={curl} label={words.curl} />
    </>
  );
}
