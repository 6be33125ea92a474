import { lazy, Suspense, useMemo, useState } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { paths } from "../paths";
import { text } from "../text/text";
import { Card, Facts } from "../ui/Card";
import { Skeleton } from "../ui/Loaded";
import { Markdown } from "../ui/Markdown";
import { Note } from "../ui/Note";
import { Part } from "../ui/Part";
import { AboutApi, DocsLink } from "./AboutApi";
import { Answers } from "./Answers";
import type { BodyTrialProps } from "./BodyTrial";
import { Callbacks } from "./Callbacks";
import type { Described } from "./described";
import type { Operation, OperationHead } from "./document/operations";
import { Faults } from "./Faults";
import { MIDDLE } from "./OperationPage";
import { Parameters } from "./Parameters";
import { RequestBodyCard } from "./RequestBodyCard";
import { Trial } from "./Trial";
import type { ChosenBody } from "./sent_body";
import styles from "./OperationPage.module.css";

/** Loaded with the generator of samples, which other operations do not need. */
const BodyTrial = lazy(() => import("./BodyTrial"));

const words = text.reference;

interface OperationDetailsProps {
  entry: CatalogueEntry;
  described: Described;
  head: OperationHead;
}

/** Details of the operation, and a form to try it. */
export function OperationDetails({ entry, described, head }: OperationDetailsProps) {
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
      {!head.isWebhook && <AnyTrial {...{ entry, described, operation, chosen }} />}
    </>
  );
}

/** A body begins with a sample; its generator may have to be loaded. */
function AnyTrial(props: BodyTrialProps) {
  const { entry, described, operation } = props;
  if (!operation.body) return <Trial {...{ entry, described, operation }} bodies={NO_BODIES} />;
  const loading = (
    <div className={styles["right"]}>
      <Skeleton />
    </div>
  );
  return (
    <Part>
      <Suspense fallback={loading}>
        <BodyTrial {...props} />
      </Suspense>
    </Part>
  );
}

const NO_BODIES: readonly [] = [];

/** Description and required credentials. */
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
