// The end of a card of usage: what is missing, buttons, and until when calls are counted.

import type { ReactNode } from "react";
import type { UsageLoss, UsageReport } from "../api/queries/usage";
import { dateTime } from "../text/format";
import { text } from "../text/text";
import { CardFoot } from "../ui/Card";
import { Note } from "../ui/Note";
import styles from "./UsageFoot.module.css";

const words = text.charts;

interface UsageFootProps {
  report: UsageReport;
  /** Buttons. */
  children?: ReactNode;
}

export function UsageFoot({ report, children }: UsageFootProps) {
  const { losses, complete_until: until, to } = report;
  const isBehind = Date.parse(until) < Date.parse(to);
  return (
    <>
      <Losses losses={losses} />
      {(children || isBehind) && (
        <CardFoot>
          {children}
          {isBehind && (
            <span className={styles["until"]}>{words.countedUpTo(dateTime(until))}</span>
          )}
        </CardFoot>
      )}
    </>
  );
}

/** The latest loss, and the number of earlier ones. */
function Losses({ losses }: { losses: readonly UsageLoss[] }) {
  const latest = losses.at(-1);
  if (!latest) return null;
  const { from, to, reason } = latest;
  const earlier = losses.length - 1;
  return (
    <CardFoot>
      <Note tone="warning">
        {words.lost(dateTime(from), dateTime(to), text.nouns.lossReasons[reason])}
        {earlier > 0 && ` ${words.moreLost(earlier)}`}
      </Note>
    </CardFoot>
  );
}
