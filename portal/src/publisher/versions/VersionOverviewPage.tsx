import { Link, type LinkProps, getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { State } from "../../api/queries/versions";
import { paths } from "../../paths";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { Grid } from "../../ui/Page";
import { Time } from "../../ui/Time";
import { NoFormYet } from "../NoFormYet";
import { CallersCard } from "../lifecycle/CallersCard";
import { DeleteVersion, isDeletable } from "../lifecycle/DeleteVersion";
import { DeprecationCard } from "../lifecycle/DeprecationCard";
import { LifecycleCard } from "../lifecycle/LifecycleCard";
import { MoveDialog } from "../lifecycle/MoveDialog";
import { History } from "./History";
import { TryOwn } from "./TryOwn";
import { type Shown, VersionFrame, operationsOf } from "./VersionFrame";
import styles from "./VersionOverviewPage.module.css";
import { type ReadingFields, readReading } from "./reading_fields";
import { openOperations, readSecurity } from "./security_fields";

const words = text.publisher.version.lifecycle;
const route = getRouteApi("/shell/publisher/publish/versions/$version");

export function VersionOverviewPage() {
  const { version: id } = route.useParams();
  const [to, setTo] = useState<State | null>(null);
  return (
    <VersionFrame
      id={id}
      tab={text.publisher.version.tabs.overview}
      isDeployPrimary
      actions={(shown) => (
        <>
          <TryOwn version={shown.version} />
          <Delete shown={shown} />
        </>
      )}
    >
      {(shown) => (
        <>
          <LifecycleCard shown={shown} onMove={setTo} />
          {shown.version.deprecation && (
            <Grid columns="2">
              <DeprecationCard shown={shown} deprecation={shown.version.deprecation} />
              {shown.version.state === "deprecated" && <CallersCard version={id} />}
            </Grid>
          )}
          <Grid columns="2-1">
            <Stands shown={shown} />
            <Card title={readyTitle(shown)}>
              <Checklist shown={shown} />
            </Card>
          </Grid>
          <History shown={shown} />
          <NoFormYet
            command={{ method: "PATCH", path: `/versions/${id}/draft`, body: MORE_OF_A_DRAFT }}
          >
            {text.publisher.version.more}
          </NoFormYet>
          {to && <MoveDialog shown={shown} to={to} onClose={() => setTo(null)} />}
        </>
      )}
    </VersionFrame>
  );
}

/** Deletes the version, in the states that allow it. */
function Delete({ shown: { api, version } }: { shown: Shown }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  if (!isDeletable(version.state)) return null;
  return (
    <>
      <Button look="danger" onPress={() => setOpen(true)}>
        {text.publisher.version.delete.button}
      </Button>
      {isOpen && (
        <DeleteVersion
          version={version.id}
          api={api}
          isDefault={version.is_default}
          name={text.publisher.version.named(api.name, version.name)}
          onDeleted={() => navigate(paths.ownApi(api.id))}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Titles the setup as a checklist until the version is published for the first time. */
function readyTitle({ version: { state } }: Shown): string {
  return state === "created" || state === "prototyped"
    ? text.publisher.version.ready.title
    : text.publisher.version.ready.done;
}

const MORE_OF_A_DRAFT = {
  identity: "headers",
  body_bytes_max: 1_048_576,
};

function Stands({ shown: { version, api, draft } }: { shown: Shown }) {
  const deployed = version.deployed_revision;
  const reading = readReading(draft.value);
  return (
    <Card title={words.details}>
      <Facts
        facts={[
          [words.path, <InlineCode value={`${api.context}/${version.name}`} label={words.path} />],
          [words.revision, deployed ?? text.ui.none],
          [
            words.changed,
            version.updated_at ? (
              <Time at={version.updated_at} />
            ) : (
              <Time at={version.created_at} />
            ),
          ],
          [words.default, version.is_default ? words.isDefault : words.isNot],
          ...(reading ? [meaningOf(reading)] : []),
        ]}
      />
    </Card>
  );
}

/** The path settings and their meaning. */
function meaningOf(reading: ReadingFields): [string, ReactNode] {
  const { overview, encodedSlashes, semicolons, cases, overrides } = text.publisher.version.reading;
  const parts = [
    encodedSlashes[reading.encodedSlash],
    semicolons[reading.semicolon],
    cases[reading.paths],
    overrides[reading.methodOverride],
  ];
  return [overview, text.publisher.version.reading.meaning(parts)];
}

function Checklist({ shown: { version, draft } }: { shown: Shown }) {
  const ready = text.publisher.version.ready;
  const plans = version.plans ?? [];
  const { value } = draft;
  const open = openOperations(value);
  const operations = operationsOf(value);
  const schemes = readSecurity(value).schemes.map(
    (scheme) => text.publisher.version.security.scheme[scheme].label,
  );
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
