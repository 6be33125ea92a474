// Faults of a document, each with its location and the surrounding lines.

import type { ReactNode } from "react";
import { Problem } from "../../api/problem";
import type { Form, Source } from "../../api/queries/imports";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Code } from "../../ui/Code";
import { ProblemNote } from "../../ui/ProblemNote";
import styles from "./DocumentFaults.module.css";
import { linesAt } from "./documents";

const words = text.publisher.import.faults;

interface DocumentFaultsProps {
  error: unknown;
  source: Source;
  /** Reads the document at a URL in its other form, if it may have one. */
  onForm?: (form: Form) => void;
  /** Names the place with this JSON pointer if it is not in the document. */
  placeOf?: (pointer: string) => ReactNode;
}

export function DocumentFaults({ error, source, onForm, placeOf }: DocumentFaultsProps) {
  const problem = Problem.from(error);
  const placed = problem.faults;
  const other: Form = source.form === "wsdl" ? "openapi" : "wsdl";
  return (
    <>
      <ProblemNote error={problem} />
      {source.isFetched && onForm && (
        <Card title={words.other}>
          <p>{words.otherLead[source.form]}</p>
          <div>
            <Button onPress={() => onForm(other)}>{words.otherTry[other]}</Button>
          </div>
        </Card>
      )}
      {placed.length > 0 && (
        <Card title={words.title(placed.length)} note={source.name}>
          <ol className={styles["faults"]}>
            {placed.map(({ field, code, detail }, index) => {
              const lines = source.text === undefined ? undefined : linesAt(source.text, detail);
              return (
                <li key={index}>
                  {field !== "" && (placeOf?.(field) ?? <code>{field}</code>)}
                  <p>{detail}</p>
                  {lines !== undefined && <Code label={words.lines} value={lines} />}
                  <p className={styles["code"]}>{code}</p>
                </li>
              );
            })}
          </ol>
        </Card>
      )}
    </>
  );
}
