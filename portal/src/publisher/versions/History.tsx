// History of a version: state changes and deployments, latest first, with rollback.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { history } from "../../api/queries/versions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { LongTable } from "../../ui/LongTable";
import { Row } from "../../ui/Row";
import type { Column } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { DeployDialog } from "./DeployDialog";
import type { Shown } from "./VersionFrame";
import { type HistoryRow, historyOf } from "./history_rows";

const words = text.publisher.version.history;

export function History({ shown }: { shown: Shown }) {
  const { id, deployed_revision: deployed } = shown.version;
  const steps = useQuery(history(id));
  const [back, setBack] = useState<number | null>(null);
  return (
    <Card title={words.title} flush>
      <Loaded query={steps}>
        {(made) => <Rows id={id} rows={historyOf(made, deployed ?? undefined)} onBack={setBack} />}
      </Loaded>
      {back !== null && (
        <DeployDialog shown={shown} revision={back} onClose={() => setBack(null)} />
      )}
    </Card>
  );
}

interface RowsProps {
  /** The version. */
  id: string;
  rows: readonly HistoryRow[];
  onBack: (revision: number) => void;
}

/** Number of rows that are shown at a time. */
const ROWS = 20;

function Rows({ id, rows, onBack }: RowsProps) {
  if (rows.length === 0) return <Empty>{words.empty}</Empty>;
  return (
    <LongTable
      label={words.title}
      columns={columnsOf(id, onBack)}
      rows={rows}
      keyOf={({ key }) => key}
      step={ROWS}
    />
  );
}

function columnsOf(id: string, onBack: (revision: number) => void): readonly Column<HistoryRow>[] {
  return [
    { title: words.when, cell: ({ at }) => <Time at={at} /> },
    { title: words.who, cell: ({ who }) => who },
    { title: words.what, cell: ({ what }) => what },
    { title: words.note, cell: ({ note }) => note },
    {
      title: "",
      cell: ({ revision, before, offer }) =>
        revision !== undefined && (
          <Row>
            {before !== undefined && (
              <ButtonLink
                small
                look="quiet"
                aria-label={words.differenceOf(before, revision)}
                {...paths.versionRevisions(id, { from: before, to: revision })}
              >
                {words.difference}
              </ButtonLink>
            )}
            {offer === "served" && <Badge tone="good">{words.served}</Badge>}
            {(offer === "older" || offer === "newer") && (
              <Button
                small
                aria-label={words[offer].label(revision)}
                onPress={() => onBack(revision)}
              >
                {words[offer].button}
              </Button>
            )}
          </Row>
        ),
    },
  ];
}
