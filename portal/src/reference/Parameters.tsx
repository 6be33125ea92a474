import { text } from "../text/text";
import { Card } from "../ui/Card";
import { Markdown } from "../ui/Markdown";
import { Table } from "../ui/Table";
import { type Parameter, keyOf } from "./document/operations";
import { describe } from "./document/schema";
import styles from "./Details.module.css";

const words = text.reference.parameters;

interface ParametersProps {
  document: unknown;
  parameters: readonly Parameter[];
}

export function Parameters({ document, parameters }: ParametersProps) {
  if (parameters.length === 0) return null;
  const rows = parameters.map((parameter) => ({
    parameter,
    schema: describe(document, parameter.schema),
  }));
  return (
    <Card title={words.title} flush>
      <Table
        label={words.title}
        rows={rows}
        keyOf={({ parameter }) => keyOf(parameter)}
        columns={[
          {
            title: words.name,
            isName: true,
            cell: ({ parameter }) => <Name parameter={parameter} />,
          },
          {
            title: words.in,
            isShort: true,
            cell: ({ parameter }) => (
              <span className={styles["place"]}>{words.places[parameter.in]}</span>
            ),
          },
          {
            title: words.type,
            isShort: true,
            cell: ({ schema }) => <code className={styles["cell"]}>{schema.type}</code>,
          },
          {
            title: words.meaning,
            cell: ({ parameter, schema }) => (
              <Meaning
                description={parameter.description ?? schema.description}
                constraints={schema.constraints}
              />
            ),
          },
        ]}
      />
    </Card>
  );
}

function Name({ parameter }: { parameter: Parameter }) {
  return (
    <>
      <code>{parameter.name}</code>
      {parameter.isRequired && (
        <>
          {" "}
          <span className={styles["required"]}>{text.reference.schema.required}</span>
        </>
      )}
      {parameter.isDeprecated && (
        <>
          {" "}
          <span className={styles["quiet"]}>{text.reference.deprecated}</span>
        </>
      )}
    </>
  );
}

interface MeaningProps {
  description: string | undefined;
  constraints: readonly string[];
}

/** What something is for, and what it is held to. */
export function Meaning({ description, constraints }: MeaningProps) {
  return (
    <>
      {description && <Markdown source={description} />}
      {constraints.length > 0 && <p className={styles["quiet"]}>{constraints.join(", ")}</p>}
    </>
  );
}
