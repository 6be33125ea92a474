// Explains a call: its steps, and why it was refused: who must act, what to do, and the caller's
// current state.

import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { applicationChoices } from "../../api/queries/applications";
import { paths } from "../../paths";
import { changed } from "../../search_parameters";
import { sentence } from "../../text/sentence";
import { text } from "../../text/text";
import type { RefusalCode } from "../../text/en/refusals";
import { Badge, statusTone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { Actions } from "../../ui/Dialog";
import { Select, TextField } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { Note } from "../../ui/Note";
import { Grid, Page } from "../../ui/Page";
import { CallCard } from "./CallCard";
import { Evidence } from "./Evidence";
import { type Pasted, isRefusal, readPasted, titleOfRefusal, wordsOf } from "./refusals";

const route = getRouteApi("/shell/developer/explain");
const words = text.developer.explain;

export function ExplainPage() {
  const { call, code, application } = route.useSearch();
  return (
    <Page title={words.title} lead={words.lead}>
      <Grid columns="2">
        <Card>
          <PasteForm />
        </Card>
        <Grid columns="1">
          {call === undefined ? (
            <Refusal code={code} application={application} />
          ) : (
            <CallCard
              key={call}
              id={call}
              otherwise={<Refusal code={code} application={application} />}
              explain={(it) => (
                <Refusal
                  code={it.refusal ?? undefined}
                  application={it.application?.id ?? application}
                />
              )}
            />
          )}
        </Grid>
      </Grid>
    </Page>
  );
}

interface RefusalProps {
  code: string | undefined;
  application: string | undefined;
}

function Refusal({ code, application }: RefusalProps) {
  if (code === undefined) return null;
  if (!isRefusal(code)) return <Note tone="information">{words.unknown(code)}</Note>;
  return (
    <>
      <Explained code={code} />
      <Evidence code={code} application={application} />
    </>
  );
}

const NONE = "none";

function PasteForm() {
  const { call, code, application } = route.useSearch();
  const navigate = route.useNavigate();
  const [pasted, setPasted] = useState(call ?? code ?? "");
  const [found, setFound] = useState<Pasted | null>(null);
  const choices = useQuery(applicationChoices).data ?? [];
  const submit = async () => {
    const read = readPasted(pasted);
    setFound(read);
    await navigate({ search: (before) => changed(before, { call: read.call, code: read.code }) });
  };
  const choose = (id: string) => {
    const chosen = id === NONE ? undefined : id;
    void navigate({ search: (before) => changed(before, { application: chosen }) });
  };
  return (
    <Form onSubmit={submit}>
      {(isPending) => (
        <>
          <TextField
            label={words.paste}
            value={pasted}
            onChange={setPasted}
            lines={6}
            mono
            placeholder={words.pastePlaceholder}
            isRequired
          />
          <Select
            label={words.application}
            value={choices.some(({ id }) => id === application) ? (application ?? NONE) : NONE}
            choices={[
              { value: NONE, label: words.anyApplication },
              ...choices.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={choose}
          />
          <Actions>
            <Button type="submit" look="primary" isPending={isPending}>
              {words.explain}
            </Button>
          </Actions>
          {found?.other && <Other {...found.other} />}
          {found && !found.call && !found.code && !found.other && (
            <Candidates found={found} application={application} />
          )}
        </>
      )}
    </Form>
  );
}

/** A refusal that is not from the gateway, with its own message. */
function Other({ code, detail }: NonNullable<Pasted["other"]>) {
  return (
    <Note tone="information">
      <p>{words.other(code)}</p>
      {detail !== undefined && <p>{sentence(detail)}</p>}
    </Note>
  );
}

interface CandidatesProps {
  found: Pasted;
  application: string | undefined;
}

function Candidates({ found: { candidates, status }, application }: CandidatesProps) {
  if (candidates.length === 0) return <Note tone="information">{words.notFound}</Note>;
  const of = application === undefined ? {} : { application };
  return (
    <div role="status">
      <p>{status === undefined ? words.severalSay : words.candidates(String(status))}</p>
      <ul>
        {candidates.map((code) => (
          <li key={code}>
            <Link {...paths.explain({ code, ...of })}>{titleOfRefusal(code)}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Explained({ code }: { code: RefusalCode }) {
  const { titles, blame, mayRetry, explained } = wordsOf(code);
  return (
    <Card title={titleOfRefusal(code)}>
      <p>{explained}</p>
      <Facts
        facts={[
          [words.actor, words.blame[blame]],
          [words.retry, mayRetry ? words.mayRetry : words.mayNotRetry],
          [words.code, <code key="code">{code}</code>],
          [
            words.answers,
            <div key="answers">
              {Object.entries(titles).map(([status, title]) => (
                <p key={status}>
                  <Badge tone={statusTone(Number(status))}>{status}</Badge> {title}
                </p>
              ))}
            </div>,
          ],
        ]}
      />
    </Card>
  );
}
