// The end of a card of usage: what is missing, the choice of a table and CSV, and until when calls
// are counted.

import type { UsageLoss, UsageReport } from "../api/queries/usage";
import { dateTime } from "../text/format";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { CardFoot } from "../ui/Card";
import { Note } from "../ui/Note";
import styles from "./UsageFoot.module.css";

const words = text.charts;

interface UsageFootProps {
  report: UsageReport;
  isTable: boolean;
  onTable: (isTable: boolean) => void;
  onCsv: () => void;
}

export function UsageFoot({ report, isTable, onTable, onCsv }: UsageFootProps) {
  const { losses, complete_until: until, to } = report;
  return (
    <>
      <Losses losses={losses} />
      <CardFoot>
        <Button small onPress={() => onTable(!isTable)}>
          {isTable ? words.asChart : words.asTable}
        </Button>
        <Button small onPress={onCsv}>
          {words.csv}
        </Button>
        {Date.parse(until) < Date.parse(to) && (
          <span className={styles["until"]}>{words.countedUpTo(dateTime(until))}</span>
        )}
      </CardFoot>
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
