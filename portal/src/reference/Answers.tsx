// The responses by status: description, headers, body beside a sample, links.

import { Link } from "@tanstack/react-router";
import { paths } from "../paths";
import { text } from "../text/text";
import { Badge, statusTone } from "../ui/Badge";
import { Card } from "../ui/Card";
import { Markdown } from "../ui/Markdown";
import { PanelTabs } from "../ui/PanelTabs";
import { Part } from "../ui/Part";
import type { Answer, AnswerHeader, AnswerLink } from "./document/messages";
import { describe } from "./document/schema";
import { FieldRow, TypeName } from "./FieldRow";
import { Message } from "./Message";
import styles from "./Details.module.css";

const words = text.reference.answers;

interface AnswersProps {
  document: unknown;
  answers: readonly Answer[];
  /** Whether calls pass through the gateway, which has refusals of its own. */
  isRefusable: boolean;
  /** Returns the address of a linked operation. */
  addressOf: (operation: string) => ReturnType<typeof paths.operation> | undefined;
}

export function Answers({ document, answers, isRefusable, addressOf }: AnswersProps) {
  const tabs = answers.map((answer) => ({
    id: answer.status,
    label: <Status status={answer.status} />,
    panel: (
      <Part>
        <AnswerPanel document={document} answer={answer} addressOf={addressOf} />
      </Part>
    ),
  }));
  const refusals = {
    id: "refusals",
    label: <Badge tone="quiet">{words.refusals}</Badge>,
    panel: (
      <p>
        {words.refused} <Link {...paths.explain()}>{words.whatTheyMean}</Link>
      </p>
    ),
  };
  const all = isRefusable ? [...tabs, refusals] : tabs;
  if (all.length === 0) return null;
  return (
    <Card title={words.title}>
      <PanelTabs label={words.tabs} tabs={all} />
    </Card>
  );
}

function Status({ status }: { status: string }) {
  const number = Number(status.replace(/X/gi, "0"));
  const tone = Number.isNaN(number) ? "quiet" : statusTone(number);
  return <Badge tone={tone}>{status === "default" ? words.default : status}</Badge>;
}

interface AnswerPanelProps extends Pick<AnswersProps, "document" | "addressOf"> {
  answer: Answer;
}

function AnswerPanel({ document, answer, addressOf }: AnswerPanelProps) {
  const { fault, description, bodies, headers, links = [] } = answer;
  return (
    <>
      {fault !== undefined && <p>{fault}</p>}
      {description && <Markdown source={description} />}
      {description === undefined && fault === undefined && <p>{words.noText}</p>}
      {headers.length > 0 && <Headers document={document} headers={headers} />}
      {bodies.length > 0 ? (
        <Message
          document={document}
          bodies={bodies}
          of={words.one(answer.status)}
          isRequest={false}
        />
      ) : (
        fault === undefined && <p className={styles["quiet"]}>{words.noBody}</p>
      )}
      {links.length > 0 && <Links links={links} addressOf={addressOf} />}
    </>
  );
}

function Headers({ document, headers }: { document: unknown; headers: readonly AnswerHeader[] }) {
  return (
    <section className={styles["group"]}>
      <h3>{words.headers}</h3>
      <ul className={styles["fields"]}>
        {headers.map((header) => {
          const { type, constraints, description } = describe(document, header.schema);
          return (
            <FieldRow
              key={header.name}
              name={header.name}
              type={<TypeName>{type}</TypeName>}
              isRequired={header.isRequired}
              isDeprecated={header.isDeprecated}
              constraints={constraints}
              description={header.description ?? description}
            />
          );
        })}
      </ul>
    </section>
  );
}

interface LinksProps extends Pick<AnswersProps, "addressOf"> {
  links: readonly AnswerLink[];
}

function Links({ links, addressOf }: LinksProps) {
  return (
    <section className={styles["group"]}>
      <h3>{words.links}</h3>
      <ul className={styles["fields"]}>
        {links.map(({ name, description, operation, parameters }) => {
          const address = operation === undefined ? undefined : addressOf(operation);
          const to = address ? <Link {...address}>{operation}</Link> : <code>{operation}</code>;
          return (
            <FieldRow
              key={name}
              name={name}
              type={
                operation !== undefined && (
                  <span>
                    {words.leadsTo} {to}
                  </span>
                )
              }
              constraints={parameters.map(([parameter, value]) => `${parameter} = ${value}`)}
              description={description}
            />
          );
        })}
      </ul>
    </section>
  );
}
