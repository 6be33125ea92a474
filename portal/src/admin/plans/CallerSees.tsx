import type { Limit } from "../../text/limit";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Code } from "../../ui/Code";
import { callerSees } from "./caller_sees";

const words = text.admin.plans.seen;

/** The fields of an answer under these limits, and the refusal beyond them. */
export function CallerSees({ limits }: { limits: readonly Limit[] }) {
  const valid = limits.filter(({ amount }) => Number.isInteger(amount) && amount > 0);
  const seen = callerSees(valid);
  if (!seen) {
    return (
      <Card title={words.title}>
        <p>{words.none}</p>
      </Card>
    );
  }
  const { code, retryAfterS } = seen.refusal;
  const refusal = [
    "HTTP/1.1 429 Too Many Requests",
    `Retry-After: ${retryAfterS}`,
    "Content-Type: application/problem+json",
    "",
    JSON.stringify({ status: 429, code }, null, 2),
  ];
  return (
    <Card title={words.title} note={words.note}>
      <Code
        label={words.answer}
        value={`RateLimit-Policy: ${seen.policy.replaceAll(", ", ",\n  ")}\nRateLimit: ${seen.left.replaceAll(", ", ",\n  ")}`}
      />
      <p>{words.then}</p>
      <Code label={words.refusal} value={refusal.join("\n")} />
    </Card>
  );
}
