import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Api, deleteApi, impactOfDeletion } from "../../api/queries/apis";
import { Problem } from "../../api/problem";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import { paths } from "../../paths";
import { compact } from "../../text/format";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { List } from "../../ui/List";
import { notify } from "../../ui/Notices";
import { Grid } from "../../ui/Page";
import { Row } from "../../ui/Row";
import { type Column, timeColumn } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { Touches } from "../../ui/Touches";
import { VersionState } from "../../ui/State";
import { DeleteVersion, isDeletable } from "../lifecycle/DeleteVersion";
import { MakeDefault } from "../lifecycle/MakeDefault";
import { ApiFrame } from "./ApiFrame";
import { EditApi } from "./EditApi";
import { NewVersion } from "./NewVersion";
import { Waits } from "./Waits";

const words = text.publisher.api;
const route = getRouteApi("/shell/publisher/publish/apis/$api");

export function ApiPage() {
  const { api } = route.useParams();
  return (
    <ApiFrame id={api} tab={words.tabs.overview} actions={(shown) => <ApiActions api={shown} />}>
      {(shown) => (
        <Grid columns="1">
          <Versions api={shown} />
          <Card title={words.facts}>
            <Facts
              facts={[
                [words.context, <InlineCode value={shown.context} label={words.context} />],
                [words.kind, text.nouns.kinds[shown.kind]],
                [words.made, <Time at={shown.created_at} />],
                [words.id, <InlineCode value={shown.id} label={words.id} />],
              ]}
            />
          </Card>
        </Grid>
      )}
    </ApiFrame>
  );
}

function Versions({ api: { id } }: { api: Api }) {
  return (
    <List
      list={versionsOfApi(id)}
      empty={words.noVersions}
      label={words.versions}
      columns={COLUMNS}
      keyOf={({ version }) => version}
    />
  );
}

const COLUMNS: readonly Column<VersionOverview>[] = [
  {
    title: words.version,
    isName: true,
    cell: ({ version, name }) => <Link {...paths.ownVersion(version)}>{name}</Link>,
  },
  {
    title: words.state,
    cell: ({ state, is_default }) => (
      <>
        <VersionState state={state} />{" "}
        {is_default && <Badge tone="information">{words.isDefault}</Badge>}
      </>
    ),
  },
  { title: words.revision, isNumber: true, cell: ({ deployed_revision: it }) => it ?? "–" },
  { title: words.calls, isNumber: true, cell: ({ calls_last_day: calls }) => compact(calls) },
  { title: words.subscriptions, isNumber: true, value: ({ subscriptions }) => subscriptions },
  { title: words.waits, cell: (row) => <Waits row={row} /> },
  timeColumn(words.changed, ({ updated_at }) => updated_at),
  {
    title: "",
    cell: (row) => (
      <Row>
        <Default row={row} />
        <Delete row={row} />
      </Row>
    ),
  },
];

/** Deletes a version in a state that allows it. */
function Delete({ row: { version, name, api, api_name, context, state, is_default } }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  if (!isDeletable(state)) return null;
  const { button, of } = text.publisher.version.delete;
  return (
    <>
      <Button small look="danger" aria-label={of(name)} onPress={() => setOpen(true)}>
        {button}
      </Button>
      {isOpen && (
        <DeleteVersion
          version={version}
          api={{ id: api, context }}
          isDefault={is_default}
          name={text.publisher.version.named(api_name, name)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface RowProps {
  row: VersionOverview;
}

/** Makes a version the default one, unless it is already or can never be called again. */
function Default({ row }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  if (row.is_default || row.state === "retired") return null;
  return (
    <>
      <Button small aria-label={words.makeDefaultOf(row.name)} onPress={() => setOpen(true)}>
        {words.makeDefault}
      </Button>
      {isOpen && <MakeDefault row={row} onClose={() => setOpen(false)} />}
    </>
  );
}

function ApiActions({ api: shown }: { api: Api }) {
  const [open, setOpen] = useState<"edit" | "delete" | "new" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button onPress={() => setOpen("edit")}>{words.edit}</Button>
      <Button look="danger" onPress={() => setOpen("delete")}>
        {words.delete}
      </Button>
      <Button look="primary" onPress={() => setOpen("new")}>
        {words.new.button}
      </Button>
      {open === "new" && <NewVersion api={shown} onClose={close} />}
      {open === "edit" && <EditApi api={shown} onClose={close} />}
      {open === "delete" && <DeleteApi api={shown} onClose={close} />}
    </>
  );
}

function DeleteApi({ api: { id, name }, onClose }: { api: Api; onClose: () => void }) {
  const navigate = useNavigate();
  const { error } = useQuery(impactOfDeletion(id));
  const isRefused = error instanceof Problem && error.status === 409;
  return (
    <ConfirmDialog
      title={words.deleteTitle(name)}
      confirm={words.confirm}
      typed={name}
      isRefused={isRefused}
      onConfirm={async () => {
        await deleteApi(id);
        notify(words.deleted(name));
        await navigate(paths.ownApis());
      }}
      onClose={onClose}
    >
      <p>{isRefused ? words.deleteRefused : words.deleteLead}</p>
      <Touches query={impactOfDeletion(id)} />
    </ConfirmDialog>
  );
}
