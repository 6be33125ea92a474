import type { Limit } from "../../text/limit";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Code } from "../../ui/Code";
import styles from "./CallerSees.module.css";
import { type Fields, callerSees } from "./caller_sees";

const words = text.admin.plans.seen;

/** The fields of an answer under these limits, and the refusal beyond them. */
export function CallerSees({ limits }: { limits: readonly Limit[] }) {
  const { always, sometimes } = callerSees(limits);
  return (
    <Card title={words.title} note={words.note}>
      {always ? <Always fields={always} /> : <p>{words.none}</p>}
      {sometimes.length > 0 && (
        <>
          <p>{words.sometimes}</p>
          <dl className={styles["sometimes"]}>
            {sometimes.map(([when, policy], index) => (
              <div key={index}>
                <dt>{when}</dt>
                <dd>
                  <code>{policy}</code>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Card>
  );
}

function Always({ fields: { policy, left, refusal } }: { fields: Fields }) {
  // One member per line.
  const answer = [`RateLimit-Policy: ${policy}`, `RateLimit: ${left}`].map((field) =>
    field.replaceAll(/(?<=[:,]) /g, "\n  "),
  );
  const refused = [
    "HTTP/1.1 429 Too Many Requests",
    `Retry-After: ${refusal.retryAfterS}`,
    "Content-Type: application/problem+json",
    "",
    JSON.stringify({ status: 429, code: refusal.code }, null, 2),
  ];
  return (
    <>
      <Code label={words.answer} value={answer.join("\n")} />
      <p>{words.then}</p>
      <Code label={words.refusal} value={refused.join("\n")} />
    </>
  );
}
