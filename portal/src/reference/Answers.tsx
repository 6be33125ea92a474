import { paths } from "../paths";
import { Link } from "@tanstack/react-router";
import { text } from "../text/text";
import { Badge, statusTone } from "../ui/Badge";
import { Card } from "../ui/Card";
import { Markdown } from "../ui/Markdown";
import { Table } from "../ui/Table";
import type { Answer } from "./document/operations";
import { typeOf } from "./document/schema";
import { type ShownSchema, idOf } from "./schemas_of";
import styles from "./Details.module.css";

const words = text.reference.answers;
/** What the gateway itself may answer to any call. */
const REFUSALS: Answer = {
  status: "401, 403, 429",
  description: undefined,
  bodies: [],
  headers: [],
  fault: undefined,
};

interface AnswersProps {
  document: unknown;
  answers: readonly Answer[];
  schemas: readonly ShownSchema[];
}

export function Answers({ document, answers, schemas }: AnswersProps) {
  return (
    <Card title={words.title} flush>
      <Table
        label={words.title}
        rows={[...answers, REFUSALS]}
        keyOf={({ status }) => status}
        columns={[
          { title: words.status, isName: true, cell: ({ status }) => <Status status={status} /> },
          { title: words.meaning, cell: (answer) => <Meaning answer={answer} /> },
          {
            title: words.type,
            isShort: true,
            cell: (answer) => <Types document={document} answer={answer} schemas={schemas} />,
          },
        ]}
      />
    </Card>
  );
}

function Status({ status }: { status: string }) {
  const number = Number(status.replace(/X/gi, "0"));
  const tone = Number.isNaN(number) ? "quiet" : statusTone(number);
  return <Badge tone={tone}>{status === "default" ? words.default : status}</Badge>;
}

function Meaning({ answer }: { answer: Answer }) {
  if (answer === REFUSALS) {
    return (
      <p>
        {words.refused} <Link {...paths.explain()}>{words.whatTheyMean}</Link>
      </p>
    );
  }
  return (
    <>
      {answer.fault}
      {answer.description && <Markdown source={answer.description} />}
      {answer.headers.length > 0 && (
        <p>
          {words.headers} <code>{answer.headers.map(({ name }) => name).join(", ")}</code>
        </p>
      )}
    </>
  );
}

/** The types of the bodies, each a way down to where it is described. */
function Types({ document, answer, schemas }: { answer: Answer } & Omit<AnswersProps, "answers">) {
  const shown = new Map(answer.bodies.map(({ schema }) => [typeOf(document, schema), schema]));
  return [...shown].map(([type, schema]) => {
    const id = idOf(document, schema, schemas);
    return (
      <div key={type}>
        <code className={styles["cell"]}>
          {id === undefined ? type : <a href={`#${id}`}>{type}</a>}
        </code>
      </div>
    );
  });
}
