// Calls of all versions of an API in a time range: over time, by version and by application.

import { Link, getRouteApi } from "@tanstack/react-router";
import type { UsageRow } from "../../api/queries/usage";
import { CallsCard } from "../../charts/CallsCard";
import { TopCard } from "../../charts/TopCard";
import { UsageCard } from "../../charts/UsageCard";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Grid } from "../../ui/Page";
import type { Column } from "../../ui/Table";
import { TopApplications } from "../TopApplications";
import { ApiFrame } from "./ApiFrame";

const route = getRouteApi("/shell/publisher/publish/apis/$api/usage");
const { top, metrics, single } = text.charts;

export function ApiUsagePage() {
  const { api } = route.useParams();
  const { range = "24h" } = route.useSearch();
  const navigate = route.useNavigate();
  const shown = { filter: { api }, range };
  return (
    <ApiFrame id={api} tab={text.publisher.api.tabs.usage}>
      {() => (
        <>
          <UsageCard
            title={metrics.calls}
            {...shown}
            onRange={(chosen) => void navigate({ search: { range: chosen } })}
          />
          <Grid columns="2">
            <TopCard
              title={top.versions}
              {...shown}
              groupBy={["version"]}
              columns={VERSION}
              metrics={["calls", "error_rate", "p95"]}
            />
            <TopApplications {...shown} />
          </Grid>
          <CallsCard title={single.latest} filter={{ api }} />
        </>
      )}
    </ApiFrame>
  );
}

const VERSION: readonly Column<UsageRow>[] = [
  {
    title: top.version,
    isName: true,
    cell: ({ version }) => {
      if (!version) return top.unknown;
      const { id, name } = version;
      return name == null ? top.deleted : <Link {...paths.ownVersion(id)}>{name}</Link>;
    },
  },
];
