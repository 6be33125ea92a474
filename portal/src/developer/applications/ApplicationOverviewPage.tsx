// An application: totals of its last day, reasons for refused calls, details.

import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { Application } from "../../api/queries/applications";
import type { ApiKey } from "../../api/queries/credentials";
import { CallsCard } from "../../charts/CallsCard";
import { QuotasCard } from "../../charts/QuotasCard";
import { TopCard } from "../../charts/TopCard";
import { UsageCard } from "../../charts/UsageCard";
import { limitsInWords } from "../../text/limit";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { Grid } from "../../ui/Page";
import { SecretDialog } from "../../ui/SecretDialog";
import { Time } from "../../ui/Time";
import { MakeDialog } from "../credentials/MakeDialog";
import { apiKeyKind } from "../credentials/api_key";
import { EndingSoon } from "../deprecation/EndingSoon";
import { RetiredVersions } from "../deprecation/RetiredVersions";
import { answerColumns } from "./answer_columns";
import { ApplicationFrame } from "./ApplicationFrame";
import { MayCall } from "./MayCall";
import { DeleteApplicationDialog } from "./DeleteApplicationDialog";
import { EditApplicationDialog } from "./EditApplicationDialog";

const route = getRouteApi("/shell/developer/applications/$application");
const words = text.developer.application;
const { single } = text.charts;
/** One group for each status and reason of a version. */
const REFUSALS = 20;

export function ApplicationOverviewPage() {
  const { application: id } = route.useParams();
  const { range = "24h" } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = { application: id };
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
              <QuotasCard of={{ application: id }} />
              <Card title={words.facts}>
                <About application={application} />
              </Card>
              <MayCall application={id} />
            </Grid>
          </Grid>
          <TopCard
            title={words.refusals}
            filter={filter}
            range={range}
            groupBy={["api", "version", "status", "refusal"]}
            columns={answerColumns(id)}
            metrics={["refused"]}
            by="refused"
            groups={REFUSALS}
          />
          <CallsCard title={single.refused} filter={{ ...filter, refused: true }} />
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

function About({ application }: { application: Application }) {
  const { id, created_at, limits } = application;
  const facts: (readonly [string, React.ReactNode])[] = [
    [words.id, <InlineCode key="id" value={id} label={words.id} />],
    [words.made, <Time key="made" at={created_at} />],
  ];
  if (limits.length > 0) facts.push([words.limits, limitsInWords(limits, "application")]);
  return <Facts facts={facts} />;
}
