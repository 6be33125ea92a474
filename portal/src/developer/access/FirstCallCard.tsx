import { useState } from "react";
import type { Called } from "../../reference/call";
import { bytes, duration } from "../../text/format";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { Note } from "../../ui/Note";
import { type FirstCall, type TokenRequest, asCurl } from "./first_call";
import { send } from "./send";
import styles from "./FirstCallCard.module.css";

const words = text.developer.access;

interface FirstCallCardProps {
  call: FirstCall;
  token: TokenRequest | undefined;
  note: string;
}

/** The first call: lines to paste, and a button that makes it from here. */
export function FirstCallCard({ call, token, note }: FirstCallCardProps) {
  const [isPending, setPending] = useState(false);
  const [shown, setShown] = useState<Shown | null>(null);
  const make = async () => {
    setPending(true);
    const called = await send(call, token);
    const start = called.isAnswered ? called.body.slice(0, SHOWN_BYTES_MAX) : undefined;
    setShown({ called, body: (await start?.text()) ?? "" });
    setPending(false);
  };
  return (
    <section className={styles["call"]}>
      <h3>{words.firstCall}</h3>
      <p className={styles["note"]}>{note}</p>
      <Code value={asCurl(call, token)} label={words.firstCall} />
      <div>
        <Button look="primary" isPending={isPending} onPress={() => void make()}>
          {words.send}
        </Button>
      </div>
      <div role="status">{shown && <Came shown={shown} />}</div>
    </section>
  );
}

/** Bytes of a body that are shown. */
const SHOWN_BYTES_MAX = 16 * 1024;

interface Shown {
  called: Called;
  body: string;
}

function Came({ shown: { called, body } }: { shown: Shown }) {
  if (!called.isAnswered) return <Note tone="bad">{words.noAnswer}</Note>;
  return (
    <div className={styles["answer"]}>
      <p className={styles["facts"]}>
        <Badge tone={statusTone(called.status)}>{called.status}</Badge>
        {words.took(duration(called.totalMs * 1_000), bytes(called.body.size))}
      </p>
      {body ? <Code value={body} label={words.sent} /> : <p>{words.noBody}</p>}
      {called.body.size > SHOWN_BYTES_MAX && <p className={styles["note"]}>{words.cut}</p>}
    </div>
  );
}
