import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { FILE, asCurlLines } from "../../api/commands";
import { type Configuration, contract } from "../../api/queries/versions";
import { count } from "../../text/format";
import { titleOf } from "../../reference/document/title";
import { text } from "../../text/text";
import { Method } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { Code } from "../../ui/Code";
import { Download } from "../../ui/Download";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { Grid } from "../../ui/Page";
import { type Column, Table } from "../../ui/Table";
import { NoFormYet } from "../NoFormYet";
import { ContractReport } from "../import/ContractReport";
import { type Shown, VersionFrame, operationsOf } from "./VersionFrame";

const words = text.publisher.version.document;
const route = getRouteApi("/shell/publisher/publish/versions/$version/document");

export function VersionDocumentPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.document}>
      {(shown) => (
        <Grid columns="2-1">
          <Operations configuration={shown.draft.value} />
          <Grid columns="1">
            <Card title={words.title} note={words.lead[shown.api.kind]}>
              <div>
                <Download href={`/api/v1/versions/${id}/document`} name={nameOf(shown)}>
                  {words.download}
                </Download>
              </div>
            </Card>
            {shown.api.kind !== "rest" && <Report id={id} />}
            <Replace shown={shown} />
          </Grid>
        </Grid>
      )}
    </VersionFrame>
  );
}

/** Returns the file name of the download. */
function nameOf({ api: { context, kind }, version: { name } }: Shown): string {
  const stem = `${context}-${name}`.replaceAll(/[^\w.-]+/g, "-").replace(/^-+/, "");
  return kind === "soap" ? `${stem}.wsdl` : stem;
}

/** More rows would be slow to render; the document has all of them. */
const ROWS_MAX = 500;

interface Row {
  method?: string;
  name: string;
  summary: string;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: words.operation,
    isName: true,
    cell: ({ method, name }) => (
      <>
        {method && (
          <>
            <Method name={method} />{" "}
          </>
        )}
        <code>{name}</code>
      </>
    ),
  },
  { title: words.summary, cell: ({ summary }) => titleOf(summary) },
];

function rowsOf({ operations, soap }: Configuration): Row[] {
  if (soap?.rest) {
    return soap.rest.resources.map(({ method, path, operation }) => ({
      method,
      name: path,
      summary: operation,
    }));
  }
  if (soap) return (soap.operations ?? []).map(({ name }) => ({ name, summary: "" }));
  return (operations ?? []).map(({ method, path, summary }) => ({
    method,
    name: path,
    summary: summary ?? "",
  }));
}

function Operations({ configuration }: { configuration: Configuration }) {
  const rows = rowsOf(configuration);
  return (
    <Card title={words.operations} note={words.count(count(operationsOf(configuration)))} flush>
      {rows.length === 0 ? (
        <Empty>{words.noOperations}</Empty>
      ) : (
        <Table
          label={words.operations}
          columns={COLUMNS}
          rows={rows.slice(0, ROWS_MAX)}
          keyOf={({ method, name }) => `${method} ${name}`}
        />
      )}
      {rows.length > ROWS_MAX && <Empty>{words.more(count(ROWS_MAX), count(rows.length))}</Empty>}
    </Card>
  );
}

function Report({ id }: { id: string }) {
  const query = useQuery(contract(id));
  return (
    <Card title={words.report}>
      <Loaded query={query}>{(report) => <ContractReport report={report} />}</Loaded>
    </Card>
  );
}

/** The command that replaces the document; there is no form yet. */
function Replace({ shown: { api, version, draft } }: { shown: Shown }) {
  if (api.kind === "rest") {
    const body = { operations: [{ method: "GET", path: "/pets", summary: "All pets" }] };
    return (
      <NoFormYet command={{ method: "PATCH", path: `/versions/${version.id}/draft`, body }}>
        {words.replaceRest}
      </NoFormYet>
    );
  }
  const command = asCurlLines({
    method: "PUT",
    target: `/api/v1/versions/${version.id}/contract`,
    contentType: "text/xml",
    ifMatch: draft.etag,
    body: FILE,
  });
  return (
    <Card title={words.replace} note={words.replaceLead}>
      <Code label={words.replace} value={command} />
    </Card>
  );
}
