import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Api, api, deleteApi, impactOfDeletion, versionsOfApi } from "../../api/queries/apis";
import { Problem } from "../../api/problem";
import { type Version, makeDefault } from "../../api/queries/versions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Loaded } from "../../ui/Loaded";
import { notify, notifyProblem } from "../../ui/Notices";
import { Grid, Page } from "../../ui/Page";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { Touches } from "../../ui/Touches";
import { VersionState } from "../../ui/State";
import { NoFormYet } from "../NoFormYet";
import { EditApi } from "./EditApi";

const words = text.publisher.api;
const route = getRouteApi("/shell/publisher/publish/apis/$api");

export function ApiPage() {
  const { api: id } = route.useParams();
  const query = useQuery(api(id));
  const name = query.data?.name ?? words.title;
  return (
    <Page
      title={name}
      lead={query.data?.description}
      crumbs={[{ label: text.publisher.apis.title, link: paths.ownApis() }, { label: name }]}
      actions={query.data && <ApiActions api={query.data} />}
    >
      <Loaded query={query}>
        {(shown) => (
          <Grid columns="2-1">
            <Grid columns="1">
              <Versions api={shown} />
              <NoFormYet
                command={{
                  method: "POST",
                  path: `/apis/${shown.id}/versions`,
                  body: { name: "2.0", from: "1.0" },
                }}
              >
                {words.newVersion}
              </NoFormYet>
            </Grid>
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
      </Loaded>
    </Page>
  );
}

function Versions({ api: { id } }: { api: Api }) {
  const query = useQuery(versionsOfApi(id));
  const columns: Column<Version>[] = [
    {
      title: words.version,
      isName: true,
      cell: (version) => <Link {...paths.ownVersion(version.id)}>{version.name}</Link>,
    },
    { title: words.state, cell: ({ state }) => <VersionState state={state} /> },
    { title: words.revision, isNumber: true, cell: ({ deployed_revision: it }) => it ?? "–" },
    { title: words.made, cell: ({ created_at }) => <Time at={created_at} /> },
    { title: words.default, cell: (version) => <Default version={version} /> },
  ];
  return (
    <Card title={words.versions} flush>
      <Loaded query={query}>
        {({ items }) => (
          <Table label={words.versions} columns={columns} rows={items} keyOf={(it) => it.id} />
        )}
      </Loaded>
    </Card>
  );
}

/** Marks the default version; other versions have a button that makes them the default. */
function Default({ version }: { version: Version }) {
  const [isPending, setPending] = useState(false);
  if (version.is_default) return words.isDefault;
  const make = async () => {
    setPending(true);
    try {
      await makeDefault(version.id);
      notify(words.madeDefault(version.name));
    } catch (error) {
      notifyProblem(error);
    }
    setPending(false);
  };
  return (
    <Button
      small
      isPending={isPending}
      aria-label={words.makeDefaultOf(version.name)}
      onPress={() => void make()}
    >
      {words.makeDefault}
    </Button>
  );
}

function ApiActions({ api: shown }: { api: Api }) {
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button onPress={() => setOpen("edit")}>{words.edit}</Button>
      <Button look="danger" onPress={() => setOpen("delete")}>
        {words.delete}
      </Button>
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
