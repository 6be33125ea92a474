// What operators' tools read of the process, on the status page.

import type { ProcessStatus } from "../api/queries/status";
import { bytes, count, duration } from "../text/format";
import { text } from "../text/text";
import { Badge } from "../ui/Badge";
import { Card, Facts } from "../ui/Card";
import { Time } from "../ui/Time";

const words = text.admin.status;

/** The listener of metrics. */
export function Metrics({ watch }: { watch: NonNullable<ProcessStatus["watch"]> }) {
  const { address, last_scrape } = watch;
  return (
    <Card title={words.metrics}>
      <Facts
        facts={[
          [words.address, <code>{address}</code>],
          [words.lastScrape, last_scrape ? <Time at={last_scrape} /> : words.neverScraped],
        ]}
      />
    </Card>
  );
}

/** The access log. */
export function AccessLog({ log }: { log: NonNullable<ProcessStatus["access_log"]> }) {
  return (
    <Card title={words.accessLog}>
      <Facts
        facts={[
          [words.file, <code>{log.file === "-" ? words.standardOutput : log.file}</code>],
          [
            words.writes,
            <Badge key="writes" tone={log.problem ? "warning" : "good"}>
              {log.problem ? words.unwritable : words.writable}
            </Badge>,
          ],
          [words.lag, duration(log.lag_ms * 1_000)],
          [words.waiting, bytes(log.waiting_bytes)],
          [words.droppedLines, count(log.dropped_lines)],
          [words.lostTexts, count(log.lost_texts)],
        ]}
      />
    </Card>
  );
}
