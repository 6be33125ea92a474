// A version in the catalogue: its description, its plans, how to call it, and the way to a first
// call.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type CatalogueEntry, catalogueEntry } from "../../api/queries/catalogue";
import { currentSession } from "../../api/session";
import { paths } from "../../paths";
import { SignInLink } from "../../shell/SignInLink";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { Loaded } from "../../ui/Loaded";
import { Markdown } from "../../ui/Markdown";
import { Note } from "../../ui/Note";
import { Grid, Page } from "../../ui/Page";
import { Time } from "../../ui/Time";
import { AccessDialog } from "../access/AccessDialog";
import { firstOf } from "../access/example_call";
import { maySubscribe } from "../access/may_subscribe";
import { VersionState } from "../../ui/State";
import { DeprecationNote } from "../deprecation/DeprecationNote";
import { Documents } from "./Documents";
import { MySubscriptions } from "./MySubscriptions";
import { Operations } from "./Operations";
import { Plans } from "./Plans";
import { SecurityInWords } from "./SecurityInWords";
import { useContents } from "./use_contents";

const route = getRouteApi("/shell/visitors/apis/$version");
const words = text.developer.version;

export function VersionPage() {
  const { version } = route.useParams();
  const query = useQuery(catalogueEntry(version));
  if (query.data !== undefined) return <Version entry={query.data} />;
  return (
    <Page title={text.developer.catalogue.title}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function Version({ entry }: { entry: CatalogueEntry }) {
  const [isGetting, setGetting] = useState(false);
  const session = currentSession();
  const title = `${entry.api_name} ${entry.name}`;
  return (
    <Page
      title={title}
      state={<VersionState state={entry.state} />}
      lead={<InlineCode value={entry.address} label={words.address} />}
      crumbs={[
        { label: text.developer.catalogue.title, link: paths.catalogue() },
        { label: title },
      ]}
      actions={
        <>
          <ButtonLink {...paths.reference(entry.version)}>{words.reference}</ButtonLink>
          <TryIt entry={entry} />
          {maySubscribe(entry) && (
            <Button look="primary" onPress={() => setGetting(true)}>
              {entry.security.api_key ? words.getKey : words.getAccess}
            </Button>
          )}
          {session === null && <SignInLink look="primary">{words.signIn}</SignInLink>}
        </>
      }
    >
      <DeprecationNote deprecation={entry.deprecation} />
      {entry.state === "prototyped" && <Note tone="information">{words.prototype}</Note>}
      <Grid columns="2-1">
        <Grid columns="1">
          <Card title={words.about}>
            {entry.description ? (
              <Markdown source={entry.description} />
            ) : (
              <p>{words.noDescription}</p>
            )}
          </Card>
          <Operations entry={entry} />
          <Plans entry={entry} />
        </Grid>
        <Grid columns="1">
          <Card title={words.facts}>
            <VersionFacts entry={entry} />
            <Documents entry={entry} />
          </Card>
          <Card title={words.security}>
            <SecurityInWords security={entry.security} />
          </Card>
        </Grid>
      </Grid>
      <MySubscriptions entry={entry} />
      {isGetting && <AccessDialog entry={entry} onClose={() => setGetting(false)} />}
    </Page>
  );
}

/** A link to the operation to call first. */
function TryIt({ entry }: { entry: CatalogueEntry }) {
  const { contents } = useContents(entry);
  const first = contents && firstOf(contents);
  const to = first ? paths.operation(entry.version, first.slug) : paths.reference(entry.version);
  return <ButtonLink {...to}>{words.tryIt}</ButtonLink>;
}

function VersionFacts({ entry }: { entry: CatalogueEntry }) {
  const facts: (readonly [string, React.ReactNode])[] = [
    [words.kind, text.nouns.kinds[entry.kind]],
    [words.since, <Time key="since" at={entry.created_at} />],
  ];
  if (entry.owner_name) facts.push([words.publisher, entry.owner_name]);
  if (entry.is_default) facts.push([words.default, words.isDefault]);
  return <Facts facts={facts} />;
}
