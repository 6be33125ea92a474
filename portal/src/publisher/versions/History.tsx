// History of a version: state changes and revisions, latest first, with rollback.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type LifecycleStep,
  type Revision,
  type Version,
  deploy,
  history,
  revisions,
} from "../../api/queries/versions";
import { dateTime } from "../../text/format";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { Row } from "../../ui/Row";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { inForce } from "../../ui/in_force";
import { useWithoutTokens } from "../use_without_tokens";

const words = text.publisher.version.history;

interface Event {
  key: string;
  at: string;
  who: string;
  what: string;
  note: string;
  revision?: Revision;
}

export function History({ version }: { version: Version }) {
  const deployed = version.deployed_revision ?? undefined;
  const steps = useQuery(history(version.id));
  const made = useQuery(revisions(version.id, deployed));
  const [back, setBack] = useState<Revision | null>(null);
  return (
    <Card title={words.title} flush>
      <Loaded query={steps}>
        {(moves) => (
          <Loaded query={made}>
            {({ items }) => <Events events={eventsOf(moves, items)} onBack={setBack} />}
          </Loaded>
        )}
      </Loaded>
      {back && <RollBack version={version} revision={back} onClose={() => setBack(null)} />}
    </Card>
  );
}

interface EventsProps {
  events: readonly Event[];
  onBack: (revision: Revision) => void;
}

function Events({ events, onBack }: EventsProps) {
  if (events.length === 0) return <Empty>{words.empty}</Empty>;
  return (
    <Table label={words.title} columns={columnsOf(onBack)} rows={events} keyOf={({ key }) => key} />
  );
}

function eventsOf(steps: readonly LifecycleStep[], made: readonly Revision[]): Event[] {
  const moves = steps.map((step, index): Event => ({
    key: `step ${index}`,
    at: step.at,
    who: step.by_name ?? step.by,
    what: words.moved(text.nouns.states[step.to]),
    note: step.note,
  }));
  const revised = made.map((revision): Event => ({
    key: `revision ${revision.number}`,
    at: revision.created_at,
    who: revision.created_by_name ?? revision.created_by,
    what: words.revised(revision.number),
    note: revision.note,
    revision,
  }));
  return [...moves, ...revised].sort((a, b) => b.at.localeCompare(a.at));
}

function columnsOf(rollBack: (revision: Revision) => void): readonly Column<Event>[] {
  return [
    { title: words.when, cell: ({ at }) => <Time at={at} /> },
    { title: words.who, cell: ({ who }) => who },
    { title: words.what, cell: ({ what }) => what },
    { title: words.note, cell: ({ note }) => note },
    {
      title: "",
      cell: ({ revision }) =>
        revision && (
          <Row>
            <Way revision={revision} onBack={rollBack} />
          </Row>
        ),
    },
  ];
}

interface WayProps {
  revision: Revision;
  onBack: (revision: Revision) => void;
}

function Way({ revision, onBack }: WayProps) {
  if (revision.is_deployed) return <Badge tone="good">{words.served}</Badge>;
  return (
    <Button small aria-label={words.rollBackTo(revision.number)} onPress={() => onBack(revision)}>
      {words.serve}
    </Button>
  );
}

interface RollBackProps {
  version: Version;
  revision: Revision;
  onClose: () => void;
}

function RollBack({ version, revision, onClose }: RollBackProps) {
  const { number } = revision;
  const withoutTokens = useWithoutTokens();
  const submit = () =>
    withoutTokens.attempt((without_tokens) =>
      inForce(deploy(version.id, { revision: number, without_tokens }), words.rolledBack(number)),
    );
  return (
    <ConfirmDialog
      title={words.serveOf(number)}
      confirm={words.confirm}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.rollBackLead(version.deployed_revision ?? 0, dateTime(revision.created_at))}</p>
      {revision.note !== "" && <p>“{revision.note}”</p>}
      {withoutTokens.tick}
    </ConfirmDialog>
  );
}
