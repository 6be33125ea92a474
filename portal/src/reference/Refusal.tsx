// A refusal of the gateway, explained by its code.

import { Link } from "@tanstack/react-router";
import { isRefusal, wordsOf } from "../developer/explain/refusals";
import { paths } from "../paths";
import { duration } from "../text/format";
import { text } from "../text/text";
import { Note } from "../ui/Note";
import type { Answered } from "./call";
import { headerOf } from "./quota";

const words = text.reference.answer;

/** Renders nothing for codes of a back end. */
export function Refusal({ code, answer }: { code: string; answer: Answered }) {
  if (!isRefusal(code)) return null;
  const seconds = Number(headerOf(answer.headers, "retry-after") ?? 0);
  return (
    <Note tone={answer.status === 429 ? "warning" : "bad"}>
      <strong>{words.refused}</strong>
      <p>{wordsOf(code).explained}</p>
      <p>
        {seconds > 0 && `${words.retry(duration(seconds * 1_000_000))} `}
        <Link {...paths.explain({ code })}>{words.explain}</Link> <code>{code}</code>
      </p>
    </Note>
  );
}
