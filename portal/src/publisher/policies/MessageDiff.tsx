// The lines of a message that a step changed, marked by signs and colour.

import type { Message } from "../../api/queries/mediate";
import { text } from "../../text/text";
import { Hidden } from "../../ui/Announced";
import styles from "./MessageDiff.module.css";
import { changedLines, diffOf, linesOfMessage } from "./message_lines";

const words = text.publisher.version.policies.dryRun;
const SIGNS = { same: " ", added: "+", removed: "-" };

interface MessageDiffProps {
  label: string;
  before: Message;
  after: Message;
}

export function MessageDiff({ label, before, after }: MessageDiffProps) {
  const lines = changedLines(diffOf(linesOfMessage(before), linesOfMessage(after)));
  if (lines.length === 0) return <p>{words.changedAfterCut}</p>;
  return (
    <pre className={styles["diff"]} role="region" aria-label={label} tabIndex={0}>
      {lines.map(({ kind, line }, at) => {
        const Mark = kind === "added" ? "ins" : kind === "removed" ? "del" : "span";
        return (
          <Mark key={at} className={styles[kind]}>
            <span aria-hidden="true">{SIGNS[kind]} </span>
            {kind !== "same" && <Hidden>{`${words[kind]}: `}</Hidden>}
            {line}
            {"\n"}
          </Mark>
        );
      })}
    </pre>
  );
}
