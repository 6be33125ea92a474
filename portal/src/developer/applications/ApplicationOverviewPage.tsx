// An application: totals of its last day, reasons for refused calls, details.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { Application } from "../../api/queries/applications";
import type { ApiKey } from "../../api/queries/credentials";
import { type UsageRow, usage } from "../../api/queries/usage";
import { UsageCard } from "../../charts/UsageCard";
import { ranges } from "../../charts/ranges";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { limitsInWords } from "../../text/limit";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import { Button, ButtonLink } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { Grid } from "../../ui/Page";
import { SecretDialog } from "../../ui/SecretDialog";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { MakeDialog } from "../credentials/MakeDialog";
import { apiKeyKind } from "../credentials/api_key";
import { titleOfRefusal } from "../explain/refusals";
import { EndingSoon } from "../deprecation/EndingSoon";
import { RetiredVersions } from "../deprecation/RetiredVersions";
import { ApplicationFrame } from "./ApplicationFrame";
import { MayCall } from "./MayCall";
import { DeleteApplicationDialog } from "./DeleteApplicationDialog";
import { EditApplicationDialog } from "./EditApplicationDialog";

const route = getRouteApi("/shell/developer/applications/$application");
const words = text.developer.application;

export function ApplicationOverviewPage() {
  const { application: id } = route.useParams();
  const { range = "24h" } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = { application: id };
  const { seconds } = ranges[range];
  const query = useQuery(
    usage({ filter, groupBy: ["api", "version", "status", "refusal"], seconds }),
  );
  return (
    <ApplicationFrame
      id={id}
      tab={words.overview}
      actions={(application) => <OverviewActions application={application} />}
    >
      {(application) => (
        <>
          <RetiredVersions application={id} />
          <EndingSoon application={id} />
          <Grid columns="2-1">
            <UsageCard
              title={words.calls}
              filter={filter}
              range={range}
              onRange={(chosen) => void navigate({ search: { range: chosen } })}
            />
            <Grid columns="1">
              <Card title={words.facts}>
                <About application={application} />
              </Card>
              <MayCall application={id} />
            </Grid>
          </Grid>
          <Card title={words.refusals} flush>
            <Loaded query={query}>
              {(report) => <Refusals application={id} rows={report.rows} />}
            </Loaded>
          </Card>
        </>
      )}
    </ApplicationFrame>
  );
}

function OverviewActions({ application }: { application: Application }) {
  const [open, setOpen] = useState<"edit" | "delete" | "key" | null>(null);
  const [made, setMade] = useState<ApiKey | null>(null);
  const close = () => setOpen(null);
  const credentials = text.developer.credentials;
  return (
    <>
      <Button onPress={() => setOpen("edit")}>{text.ui.withEllipsis(words.edit)}</Button>
      <Button look="danger" onPress={() => setOpen("delete")}>
        {text.ui.withEllipsis(words.delete)}
      </Button>
      <Button look="primary" onPress={() => setOpen("key")}>
        {words.getKey}
      </Button>
      {open === "edit" && <EditApplicationDialog application={application} onClose={close} />}
      {open === "delete" && <DeleteApplicationDialog application={application} onClose={close} />}
      {open === "key" && (
        <MakeDialog
          application={application.id}
          kind={apiKeyKind}
          onMade={(key) => {
            setMade(key);
            close();
          }}
          onClose={close}
        />
      )}
      {made && (
        <SecretDialog
          title={apiKeyKind.words.madeTitle}
          once={credentials.once}
          secrets={apiKeyKind.secrets(made)}
          done={credentials.copied}
          onClose={() => setMade(null)}
        />
      )}
    </>
  );
}

function Refusals({ application, rows }: { application: string; rows: readonly UsageRow[] }) {
  const refused = rows
    .filter(({ refusal }) => refusal)
    .toSorted((one, other) => other.calls - one.calls);
  if (refused.length === 0) {
    return <Empty>{rows.some(({ calls }) => calls > 0) ? words.noRefusals : words.noCalls}</Empty>;
  }
  const columns: Column<UsageRow>[] = [
    {
      title: words.status,
      cell: ({ status = 0 }) => <Badge tone={statusTone(status ?? 0)}>{status}</Badge>,
    },
    { title: words.why, isName: true, cell: ({ refusal }) => titleOfRefusal(refusal ?? "") },
    { title: words.at, cell: ({ api, version }) => `${api?.name ?? ""} ${version?.name ?? ""}` },
    { title: words.calls, isNumber: true, cell: ({ calls }) => count(calls) },
    {
      title: "",
      cell: ({ refusal }) => (
        <ButtonLink {...paths.explain({ code: refusal ?? "", application })} small>
          {words.explain}
        </ButtonLink>
      ),
    },
  ];
  return (
    <Table
      label={words.refusals}
      columns={columns}
      rows={refused}
      keyOf={({ refusal, status, version }) => `${refusal} ${status} ${version?.id}`}
    />
  );
}

function About({ application }: { application: Application }) {
  const { id, created_at, limits } = application;
  const facts: (readonly [string, React.ReactNode])[] = [
    [words.id, <InlineCode key="id" value={id} label={words.id} />],
    [words.made, <Time key="made" at={created_at} />],
  ];
  if (limits.length > 0) facts.push([words.limits, limitsInWords(limits, "application")]);
  return <Facts facts={facts} />;
}
