import { useMemo, useState } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Badge, Method } from "../ui/Badge";
import { Card, Facts } from "../ui/Card";
import { Disclosure } from "../ui/Disclosure";
import { Icon } from "../ui/Icon";
import { Markdown } from "../ui/Markdown";
import { Note } from "../ui/Note";
import { Page } from "../ui/Page";
import { Part } from "../ui/Part";
import { Answers } from "./Answers";
import { BodyTypes } from "./BodyTypes";
import { crumbsOf } from "./ChosenOperation";
import { CodeCard } from "./CodeCard";
import type { Described } from "./described";
import { type OperationHead, PLACEHOLDER } from "./document/operations";
import { OperationList } from "./OperationList";
import { Parameters } from "./Parameters";
import { Schemas } from "./Schemas";
import { schemasOf } from "./schemas_of";
import { TryIt } from "./TryIt";
import { useDraft } from "./use_draft";
import styles from "./OperationPage.module.css";

const words = text.reference;
/** More faults of a document than anybody reads. */
const FAULTS_MAX = 20;

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
    >
      <Faults faults={described.contents.faults} />
      <div className={styles["columns"]}>
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
  const { document, facts } = described;
  const operation = useMemo(() => described.operation(head), [described, head]);
  const schemas = useMemo(() => schemasOf(document, operation), [document, operation]);
  const draft = useDraft({ entry, described, operation });
  return (
    <>
      <div className={styles["middle"]}>
        {operation.description && <Markdown source={operation.description} headings={2} />}
        <Faults faults={operation.faults} />
        {operation.scopes.length > 0 && <p>{words.scopes(operation.scopes.join(", "))}</p>}
        <Part>
          <Parameters document={document} parameters={operation.parameters} />
        </Part>
        {facts && (
          <Card title={words.soap.title}>
            <Facts facts={facts(head).map(([name, value]) => [name, code(value)])} />
          </Card>
        )}
        <Part>
          {operation.body && !facts && <BodyTypes document={document} body={operation.body} />}
        </Part>
        <Part>
          <Answers document={document} answers={operation.answers} schemas={schemas} />
        </Part>
        <Part>
          <Schemas document={document} schemas={schemas} />
        </Part>
      </div>
      <div className={styles["right"]}>
        <TryIt entry={entry} document={document} operation={operation} draft={draft} />
        <Part>
          <CodeCard security={entry.security} draft={draft} />
        </Part>
      </div>
    </>
  );
}

const code = (value: string) => <code>{value}</code>;

function Address({ entry, head }: { entry: CatalogueEntry; head: OperationHead }) {
  const parts = head.path.split(PLACEHOLDER);
  return (
    <span className={styles["address"]}>
      <Method name={head.badge ?? head.method} />
      <code>
        {entry.path}
        {parts.map((part, at) => (at % 2 === 0 ? part : <b key={at}>{`{${part}}`}</b>))}
      </code>
    </span>
  );
}

/** On a phone the list is behind a button: what one came for is the operation. */
function Operations({ entry, described, head }: OperationProps) {
  // It closes when another one is chosen.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === head.slug;
  return (
    <div className={styles["left"]} data-open={isOpen || undefined}>
      <button
        type="button"
        className={styles["toggle"]}
        aria-expanded={isOpen}
        onClick={() => setOpenAt(isOpen ? undefined : head.slug)}
      >
        {words.operationsOf(described.contents.operations.length)}
        <Icon name="down" />
      </button>
      <div className={styles["list"]}>
        <OperationList version={entry.version} contents={described.contents} present={head.slug} />
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
