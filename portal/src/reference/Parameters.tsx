import { text } from "../text/text";
import { Card } from "../ui/Card";
import { type Parameter, keyOf } from "./document/parameters";
import { describe } from "./document/schema";
import { FieldRow, TypeName } from "./FieldRow";
import styles from "./Details.module.css";

const words = text.reference.parameters;
const PLACES = ["path", "query", "header", "cookie"] as const;

interface ParametersProps {
  document: unknown;
  parameters: readonly Parameter[];
}

/** The parameters, grouped by location. */
export function Parameters({ document, parameters }: ParametersProps) {
  if (parameters.length === 0) return null;
  const groups = PLACES.map((place) => ({
    place,
    own: parameters.filter((parameter) => parameter.in === place),
  })).filter(({ own }) => own.length > 0);
  return (
    <Card title={words.title}>
      {groups.map(({ place, own }) => (
        <section key={place} className={styles["group"]}>
          <h3>{words.places[place]}</h3>
          <ul className={styles["fields"]}>
            {own.map((parameter) => (
              <ParameterRow key={keyOf(parameter)} document={document} parameter={parameter} />
            ))}
          </ul>
        </section>
      ))}
    </Card>
  );
}

function ParameterRow({ document, parameter }: { document: unknown; parameter: Parameter }) {
  const { type, constraints, description } = describe(document, parameter.schema);
  return (
    <FieldRow
      name={parameter.name}
      type={<TypeName>{type}</TypeName>}
      isRequired={parameter.isRequired}
      isDeprecated={parameter.isDeprecated}
      constraints={parameter.isRest ? [words.rest, ...constraints] : constraints}
      description={parameter.description ?? description}
    />
  );
}
