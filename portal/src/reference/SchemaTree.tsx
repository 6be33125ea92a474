// A schema as a tree. Members are resolved when they are opened, so a cycle goes as deep as the
// reader opens it. Of alternatives, one is chosen.

import { useState } from "react";
import { text } from "../text/text";
import { Breakable } from "../ui/Breakable";
import { Select } from "../ui/Field";
import { type Choice, choicesOf } from "./document/choices";
import { type Member, describe, propertiesOf } from "./document/schema";
import { FieldRow, TypeName } from "./FieldRow";
import styles from "./Details.module.css";

const words = text.reference;

interface SchemaTreeProps {
  document: unknown;
  schema: unknown;
}

/** A schema from its top: what it is called, what it is held to, what is in it. */
export function SchemaTree({ document, schema }: SchemaTreeProps) {
  const { type, constraints, description } = describe(document, schema);
  return (
    <ul className={styles["fields"]}>
      <FieldRow name={type} type={null} constraints={constraints} description={description}>
        <Members document={document} schema={schema} />
      </FieldRow>
    </ul>
  );
}

function Members({ document, schema }: SchemaTreeProps) {
  const members = propertiesOf(document, schema);
  const { property, choices } = choicesOf(document, schema);
  return (
    <>
      {members.length > 0 && (
        <ul className={styles["members"]}>
          {members.map((member, at) => (
            <MemberRow key={at} document={document} member={member} />
          ))}
        </ul>
      )}
      {choices.length > 0 && <Chosen document={document} property={property} choices={choices} />}
    </>
  );
}

interface ChosenProps {
  document: unknown;
  property: string | undefined;
  choices: readonly Choice[];
}

/** One of several alternatives, labelled with the property of the discriminator. */
function Chosen({ document, property, choices }: ChosenProps) {
  const [at, setAt] = useState("0");
  const chosen = choices[Number(at)];
  return (
    <div className={styles["chosen"]}>
      {choices.length > 1 && (
        <Select
          label={words.message.one(property)}
          value={at}
          choices={choices.map(({ name }, index) => ({ value: String(index), label: name }))}
          onChange={setAt}
        />
      )}
      {chosen && <Members key={at} document={document} schema={chosen.schema} />}
    </div>
  );
}

function MemberRow({ document, member }: { document: unknown; member: Member }) {
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
      {isOpen && <Members document={document} schema={member.schema} />}
    </FieldRow>
  );
}
