// The new credential, shown once, with the first call to paste or to send.

import { useQuery } from "@tanstack/react-query";
import type { CatalogueEntry } from "../../api/queries/catalogue";
import { portal } from "../../api/queries/portal";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { Actions, Dialog } from "../../ui/Dialog";
import { Skeleton } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { FirstCallCard } from "./FirstCallCard";
import { NoTokens } from "./NoTokens";
import { firstCall, tokenRequest } from "./first_call";
import type { Obtained } from "./obtain";
import { useExample } from "./use_example";

const words = text.developer.access;

interface AccessMadeProps {
  title: string;
  entry: CatalogueEntry;
  obtained: Obtained;
  onClose: () => void;
}

export function AccessMade({ title, entry, obtained, onClose }: AccessMadeProps) {
  const { application, status } = obtained;
  return (
    <Dialog wide title={title} isOpen>
      {status !== "active" && <NotYet entry={entry} status={status} />}
      <Note tone="warning">{words.once}</Note>
      {secretsOf(obtained).map(({ label, value }) => (
        <div key={label}>
          <h3>{label}</h3>
          <Code value={value} label={label} />
        </div>
      ))}
      <FirstCallOf entry={entry} obtained={obtained} />
      <Actions>
        <Button onPress={onClose}>{words.done}</Button>
        <ButtonLink {...paths.application(application.id)} look="quiet">
          {words.toApplication(application.name)}
        </ButtonLink>
      </Actions>
    </Dialog>
  );
}

function NotYet({ entry, status }: { entry: CatalogueEntry; status: Obtained["status"] }) {
  const publisher = entry.owner_name ?? words.aPublisher;
  return status === "pending" ? (
    <Note tone="warning">{words.approval(publisher)}</Note>
  ) : (
    <Note tone="bad">{words.closed(publisher)}</Note>
  );
}

function secretsOf({ key, client, basicUser }: Obtained) {
  return [
    { label: words.key, value: key?.key },
    { label: words.clientId, value: client?.id },
    { label: words.clientSecret, value: client?.client_secret },
    { label: words.userNameMade, value: basicUser?.user_name },
    { label: words.password, value: basicUser?.password },
  ].flatMap(({ label, value }) => (value ? [{ label, value }] : []));
}

function FirstCallOf({ entry, obtained }: { entry: CatalogueEntry; obtained: Obtained }) {
  const example = useExample(entry);
  const installation = useQuery(portal);
  if (!example || installation.isPending) return <Skeleton />;
  const tokenUrl = installation.data?.parts.key_manager?.token_url;
  if (obtained.client && tokenUrl === undefined) return <NoTokens />;
  return (
    <FirstCallCard
      call={firstCall(entry, obtained, example)}
      token={tokenRequest(obtained, tokenUrl)}
    />
  );
}
