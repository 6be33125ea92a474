import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps, getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type OfferedPlan, offers } from "../../api/queries/versions";
import { paths } from "../../paths";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { Loaded } from "../../ui/Loaded";
import { Grid } from "../../ui/Page";
import { Time } from "../../ui/Time";
import { NoFormYet } from "../NoFormYet";
import { History } from "./History";
import { type Move, MoveDialog } from "./MoveDialog";
import { TryOwn } from "./TryOwn";
import { type Shown, VersionFrame, operationsOf } from "./VersionFrame";
import styles from "./VersionOverviewPage.module.css";
import { type ReadingFields, readReading } from "./reading_fields";
import { openOperations, readSecurity } from "./security_fields";

const words = text.publisher.version;
const route = getRouteApi("/shell/publisher/publish/versions/$version");

export function VersionOverviewPage() {
  const { version: id } = route.useParams();
  const plans = useQuery(offers(id));
  const [to, setTo] = useState<Move | null>(null);
  return (
    <VersionFrame
      id={id}
      tab={words.tabs.overview}
      isDeployPrimary
      actions={(shown) => (
        <>
          <TryOwn version={shown.version} />
          <Moves shown={shown} plans={plans.data} onMove={setTo} />
        </>
      )}
    >
      {(shown) => (
        <>
          <Grid columns="2-1">
            <Stands shown={shown} />
            <Card title={readyTitle(shown)}>
              <Loaded query={plans}>
                {(offered) => <Checklist shown={shown} plans={offered} />}
              </Loaded>
            </Card>
          </Grid>
          <History shown={shown} />
          <NoFormYet
            command={{ method: "PATCH", path: `/versions/${id}/draft`, body: MORE_OF_A_DRAFT }}
          >
            {words.more}
          </NoFormYet>
          {to && <MoveDialog shown={shown} to={to} onClose={() => setTo(null)} />}
        </>
      )}
    </VersionFrame>
  );
}

/** Titles the setup as a checklist until the version is published. */
function readyTitle({ version }: Shown): string {
  return version.next_states.includes("published") ? words.ready.title : words.ready.done;
}

const MORE_OF_A_DRAFT = {
  identity: "headers",
  body_bytes_max: 1_048_576,
};

/** State changes, in the order of their buttons. */
const MOVES: readonly Move[] = ["created", "prototyped", "blocked", "published"];

interface MovesProps {
  shown: Shown;
  plans: readonly OfferedPlan[] | undefined;
  onMove: (to: Move) => void;
}

function Moves({ shown: { version, draft }, plans, onMove }: MovesProps) {
  const moves = MOVES.filter((state) => version.next_states.includes(state));
  const missing: string[] = [];
  const { operations, soap, upstream } = draft.value;
  if (!soap && operations?.length === 0) missing.push(words.ready.needsOperation);
  if (!upstream) missing.push(words.ready.needsUpstream);
  if (plans?.length === 0) missing.push(words.ready.needsPlan);
  return moves.map((state) => (
    <Button
      key={state}
      look={state === "published" ? "primary" : state === "blocked" ? "danger" : "plain"}
      onPress={() => onMove(state)}
      why={state === "published" && missing.length > 0 ? words.ready.first(missing) : undefined}
    >
      {words.moves[state].button}
    </Button>
  ));
}

function Stands({ shown: { version, api, draft } }: { shown: Shown }) {
  const deployed = version.deployed_revision;
  const reading = readReading(draft.value);
  return (
    <Card title={words.lifecycle.title}>
      <p>{words.lifecycle.states[version.state]}</p>
      <Facts
        facts={[
          [
            words.lifecycle.path,
            <InlineCode value={`${api.context}/${version.name}`} label={words.lifecycle.path} />,
          ],
          [words.lifecycle.revision, deployed ?? text.ui.none],
          [
            words.lifecycle.changed,
            version.updated_at ? (
              <Time at={version.updated_at} />
            ) : (
              <Time at={version.created_at} />
            ),
          ],
          [
            words.lifecycle.default,
            version.is_default ? words.lifecycle.isDefault : words.lifecycle.isNot,
          ],
          ...(reading ? [meaningOf(reading)] : []),
        ]}
      />
    </Card>
  );
}

/** The path settings and their meaning. */
function meaningOf(reading: ReadingFields): [string, ReactNode] {
  const { overview, encodedSlashes, semicolons, cases, overrides } = words.reading;
  const parts = [
    encodedSlashes[reading.encodedSlash],
    semicolons[reading.semicolon],
    cases[reading.paths],
    overrides[reading.methodOverride],
  ];
  return [overview, words.reading.meaning(parts)];
}

interface ChecklistProps {
  shown: Shown;
  plans: readonly OfferedPlan[];
}

function Checklist({ shown: { version, draft }, plans }: ChecklistProps) {
  const ready = words.ready;
  const { value } = draft;
  const open = openOperations(value);
  const operations = operationsOf(value);
  const schemes = readSecurity(value).schemes.map((scheme) => words.security.scheme[scheme].label);
  return (
    <ul className={styles["checklist"]}>
      <Item
        isGood={Boolean(value.upstream)}
        link={paths.versionUpstream(version.id)}
        label={ready.upstream}
      >
        {value.upstream?.url ?? ready.noUpstream}
      </Item>
      <Item isGood={plans.length > 0} link={paths.versionPlans(version.id)} label={ready.plans}>
        {plans.length > 0 ? plans.map(planTitle).join(", ") : ready.noPlan}
      </Item>
      <Item isGood={operations > 0} link={paths.versionDocument(version.id)} label={ready.document}>
        {ready.operations(operations)}
      </Item>
      <Item
        isGood={open.length === 0}
        link={paths.versionSecurity(version.id)}
        label={ready.security}
      >
        {open.length > 0 ? ready.open(open.length, open[0] ?? "") : schemes.join(", ")}
      </Item>
    </ul>
  );
}

interface ItemProps {
  isGood: boolean;
  label: string;
  link: LinkProps;
  children: ReactNode;
}

function Item({ isGood, label, link, children }: ItemProps) {
  return (
    <li>
      <Link {...link}>
        <Badge tone={isGood ? "good" : "warning"}>{label}</Badge>
      </Link>
      <span>{children}</span>
    </li>
  );
}
