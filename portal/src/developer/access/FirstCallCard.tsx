import { useState } from "react";
import { AnswerView } from "../../reference/AnswerView";
import { NoAnswer } from "../../reference/NoAnswer";
import type { Called } from "../../reference/call";
import type { CallRequest } from "../../reference/call_request";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import styles from "./FirstCallCard.module.css";
import { type TokenRequest, asCurl } from "./first_call";
import { send } from "./send";

const words = text.developer.access;

interface FirstCallCardProps {
  call: CallRequest;
  token: TokenRequest | undefined;
}

/** The first call: a command to paste, and a button that sends it from the page. */
export function FirstCallCard({ call, token }: FirstCallCardProps) {
  const [isPending, setPending] = useState(false);
  const [called, setCalled] = useState<Called | null>(null);
  const curl = asCurl(call, token);
  const make = async () => {
    setPending(true);
    setCalled(await send(call, token));
    setPending(false);
  };
  return (
    <section className={styles["call"]}>
      <h3>{words.firstCall}</h3>
      <p className={styles["note"]}>{words.firstCallNote}</p>
      <Code value={curl} label={words.firstCall} />
      <div>
        <Button look="primary" isPending={isPending} onPress={() => void make()}>
          {words.send}
        </Button>
      </div>
      <div role="status" className={styles["call"]}>
        {called?.isAnswered && <AnswerView answer={called} slug="first-call" />}
        {called && !called.isAnswered && <NoAnswer cause={called.cause} curl={curl} />}
      </div>
    </section>
  );
}
