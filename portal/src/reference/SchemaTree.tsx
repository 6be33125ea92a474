// A schema as a tree. Members are resolved when they are opened, so a cycle is only followed as
// deep as the user opens it. One of several alternatives is selected.

import { useState } from "react";
import { text } from "../text/text";
import { Breakable } from "../ui/Breakable";
import { Select } from "../ui/Field";
import { type Choice, choicePlace, choicesOf, memberPlace } from "./document/choices";
import { type Member, describe, propertiesOf } from "./document/schema";
import { FieldRow, TypeName } from "./FieldRow";
import styles from "./Details.module.css";

const words = text.reference;

interface SchemaTreeProps {
  document: unknown;
  schema: unknown;
  /** Called with the path of the alternatives and the selected one. */
  onChoose: (at: string, choice: Choice) => void;
}

interface PlacedProps extends SchemaTreeProps {
  at: string;
}

/** The root of a schema: its name, constraints and members. */
export function SchemaTree({ document, schema, onChoose }: SchemaTreeProps) {
  const { type, constraints, description } = describe(document, schema);
  return (
    <ul className={styles["fields"]}>
      <FieldRow name={type} type={null} constraints={constraints} description={description}>
        <Members document={document} schema={schema} at="" onChoose={onChoose} />
      </FieldRow>
    </ul>
  );
}

function Members({ document, schema, at, onChoose }: PlacedProps) {
  const members = propertiesOf(document, schema);
  const { property, choices } = choicesOf(document, schema);
  return (
    <>
      {members.length > 0 && (
        <ul className={styles["members"]}>
          {members.map((member, index) => (
            <MemberRow
              key={index}
              document={document}
              member={member}
              at={memberPlace(at, member.name)}
              onChoose={onChoose}
            />
          ))}
        </ul>
      )}
      {choices.length > 0 && <Alternatives {...{ document, property, choices, at, onChoose }} />}
    </>
  );
}

interface AlternativesProps extends Omit<PlacedProps, "schema"> {
  property: string | undefined;
  choices: readonly Choice[];
}

/** One of several alternatives, labelled with the property of the discriminator. */
function Alternatives({ document, property, choices, at, onChoose }: AlternativesProps) {
  const [index, setIndex] = useState("0");
  const chosen = choices[Number(index)];
  const choose = (next: string) => {
    setIndex(next);
    const choice = choices[Number(next)];
    if (choice) onChoose(at, choice);
  };
  return (
    <div className={styles["chosen"]}>
      {choices.length > 1 && (
        <Select
          label={words.message.one(property)}
          value={index}
          choices={choices.map(({ name }, place) => ({ value: String(place), label: name }))}
          onChange={choose}
        />
      )}
      {chosen && (
        <Members
          key={index}
          document={document}
          schema={chosen.schema}
          at={choicePlace(at, chosen)}
          onChoose={onChoose}
        />
      )}
    </div>
  );
}

interface MemberRowProps extends Omit<PlacedProps, "schema"> {
  member: Member;
}

function MemberRow({ document, member, at, onChoose }: MemberRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { type, constraints, description, isOpenable } = describe(document, member.schema);
  const opener = (
    <button
      type="button"
      className={styles["opener"]}
      aria-expanded={isOpen}
      title={words.members.open(member.name)}
      onClick={() => setOpen(!isOpen)}
    >
      <Breakable>{type}</Breakable>
    </button>
  );
  return (
    <FieldRow
      name={member.name}
      type={isOpenable ? opener : <TypeName>{type}</TypeName>}
      isRequired={member.isRequired}
      constraints={constraints}
      description={description}
    >
      {isOpen && <Members document={document} schema={member.schema} at={at} onChoose={onChoose} />}
    </FieldRow>
  );
}
