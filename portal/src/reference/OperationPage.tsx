import { Fragment, useMemo, useState } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { paths } from "../paths";
import { text } from "../text/text";
import { Badge, Method } from "../ui/Badge";
import { Breakable } from "../ui/Breakable";
import { Card, Facts } from "../ui/Card";
import { Disclosure } from "../ui/Disclosure";
import { Icon } from "../ui/Icon";
import { Markdown } from "../ui/Markdown";
import { Note } from "../ui/Note";
import { Page } from "../ui/Page";
import { Part } from "../ui/Part";
import { AboutApi, DocsLink } from "./AboutApi";
import { Answers } from "./Answers";
import { Callbacks } from "./Callbacks";
import { crumbsOf } from "./ChosenOperation";
import type { Described } from "./described";
import type { Operation, OperationHead } from "./document/operations";
import { PLACEHOLDER } from "./document/parameters";
import { OperationList } from "./OperationList";
import { Parameters } from "./Parameters";
import { RequestBodyCard } from "./RequestBodyCard";
import { Trial } from "./Trial";
import type { ChosenBody } from "./use_body";
import styles from "./OperationPage.module.css";

const words = text.reference;
/** More faults of a document than anybody reads. */
const FAULTS_MAX = 20;
/** Id of what describes the operation. */
const MIDDLE = "operation";

interface OperationPageProps {
  entry: CatalogueEntry;
  described: Described;
  head: OperationHead;
  download: React.ReactNode;
}

/** Operations at the left, the chosen one in the middle, a place to try it at the right. */
export function OperationPage({ entry, described, head, download }: OperationPageProps) {
  return (
    <Page
      title={head.title}
      state={head.isDeprecated && <Badge tone="warning">{words.deprecated}</Badge>}
      lead={<Address entry={entry} head={head} />}
      crumbs={crumbsOf(entry)}
      actions={download}
      isWide
    >
      <Faults faults={described.contents.faults} />
      <div className={styles["columns"]} data-alone={head.isWebhook}>
        <Operations entry={entry} described={described} head={head} />
        {/* What was typed and what came is of one operation. */}
        <Chosen key={head.slug} entry={entry} described={described} head={head} />
      </div>
    </Page>
  );
}

type OperationProps = Omit<OperationPageProps, "download">;

/** What the operation is, and a place to try it. */
function Chosen({ entry, described, head }: OperationProps) {
  const operation = useMemo(() => described.operation(head), [described, head]);
  const [chosen, setChosen] = useState<ChosenBody>();
  return (
    <>
      <div id={MIDDLE} className={styles["middle"]} tabIndex={-1}>
        <Lead operation={operation} />
        <Details
          entry={entry}
          described={described}
          operation={operation}
          onChoose={(type, chosen) => setChosen({ type, chosen })}
        />
      </div>
      {!head.isWebhook && (
        <Trial entry={entry} described={described} operation={operation} chosen={chosen} />
      )}
    </>
  );
}

/** What it is for, and who may call it. */
function Lead({ operation }: { operation: Operation }) {
  const { description, docs, faults, scopes, isWebhook } = operation;
  if (!description && !docs && !isWebhook && faults.length === 0 && scopes.length === 0)
    return null;
  return (
    <div className={styles["lead"]}>
      {isWebhook && <Note tone="information">{words.webhook.lead}</Note>}
      {description && <Markdown source={description} headings={2} />}
      {docs && (
        <p>
          {docs.description === undefined && `${words.docs}: `}
          <DocsLink docs={docs} />
        </p>
      )}
      <Faults faults={faults} />
      {scopes.length > 0 && <p>{words.scopes(scopes.join(", "))}</p>}
    </div>
  );
}

interface DetailsProps {
  entry: CatalogueEntry;
  described: Described;
  operation: Operation;
  onChoose: (type: string, chosen: ChosenBody["chosen"]) => void;
}

function Details({ entry, described, operation, onChoose }: DetailsProps) {
  const { document, facts, contents } = described;
  const { parameters, body, answers, callbacks = [] } = operation;
  const addressOf = (name: string) => {
    const to = contents.operations.find(({ id }) => id === name);
    return to && paths.operation(entry.version, to.slug);
  };
  return (
    <>
      <Part>
        <Parameters document={document} parameters={parameters} />
      </Part>
      {facts && (
        <Card title={words.soap.title}>
          <Facts facts={facts(operation).map(([name, value]) => [name, code(value)])} />
        </Card>
      )}
      {body && !facts && (
        <Part>
          <RequestBodyCard document={document} body={body} onChoose={onChoose} />
        </Part>
      )}
      <Part>
        <Answers
          document={document}
          answers={answers}
          isRefusable={!operation.isWebhook}
          addressOf={addressOf}
        />
      </Part>
      <Part>
        <Callbacks document={document} callbacks={callbacks} />
      </Part>
      {contents.about && (
        <Part>
          <AboutApi about={contents.about} />
        </Part>
      )}
    </>
  );
}

const code = (value: string) => <code>{value}</code>;

function Address({ entry, head }: { entry: CatalogueEntry; head: OperationHead }) {
  const parts = head.path.split(PLACEHOLDER);
  return (
    <span className={styles["address"]}>
      <Method name={head.badge ?? head.method} />
      {head.isWebhook ? (
        <span>
          {words.webhook.title} <code>{head.path}</code>
        </span>
      ) : (
        <code>
          <Breakable>{entry.path}</Breakable>
          {parts.map((part, at) => {
            if (at % 2 === 0) return <Breakable key={at}>{part}</Breakable>;
            return (
              <Fragment key={at}>
                <wbr />
                <b>{`{${part}}`}</b>
              </Fragment>
            );
          })}
        </code>
      )}
    </span>
  );
}

/** In a narrow window the list is behind a button that shows the present operation. */
function Operations({ entry, described, head }: OperationProps) {
  // It closes when another one is chosen.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === head.slug;
  const { operations } = described.contents;
  const at = operations.findIndex(({ slug }) => slug === head.slug);
  return (
    <div className={styles["left"]} data-open={isOpen || undefined}>
      <button
        type="button"
        className={styles["toggle"]}
        aria-expanded={isOpen}
        onClick={() => setOpenAt(isOpen ? undefined : head.slug)}
      >
        <span className={styles["where"]}>
          {[head.tags[0], head.title].filter(Boolean).join(" / ")}
        </span>
        <span className={styles["count"]}>{words.place(at + 1, operations.length)}</span>
        <Icon name="down" />
      </button>
      <div className={styles["list"]}>
        <OperationList
          version={entry.version}
          contents={described.contents}
          present={head.slug}
          after={MIDDLE}
        />
      </div>
    </div>
  );
}

function Faults({ faults }: { faults: readonly string[] }) {
  if (faults.length === 0) return null;
  const shown = faults.slice(0, FAULTS_MAX);
  return (
    <Note tone="warning">
      <Disclosure title={words.faultsTitle(faults.length)}>
        <ul>
          {shown.map((fault, at) => (
            <li key={at}>{fault}</li>
          ))}
          {faults.length > shown.length && <li>{words.more(faults.length - shown.length)}</li>}
        </ul>
      </Disclosure>
    </Note>
  );
}
