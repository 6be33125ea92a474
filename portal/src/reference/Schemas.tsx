// Schemas as trees whose members are looked up when they are opened, so that what leads back to
// itself goes as deep as somebody opens it.

import { useState } from "react";
import { text } from "../text/text";
import { Card } from "../ui/Card";
import { type Member, describe, membersOf } from "./document/schema";
import { Meaning } from "./Parameters";
import type { ShownSchema } from "./schemas_of";
import styles from "./Details.module.css";

const words = text.reference;

interface SchemasProps {
  document: unknown;
  schemas: readonly ShownSchema[];
}

export function Schemas({ document, schemas }: SchemasProps) {
  return schemas.map(({ id, title, schema }) => (
    <div key={id} id={id} className={styles["section"]} tabIndex={-1}>
      <Card title={title}>
        <Meaning description={describe(document, schema).description} constraints={[]} />
        <Members document={document} schema={schema} />
      </Card>
    </div>
  ));
}

function Members({ document, schema }: { document: unknown; schema: unknown }) {
  return (
    <ul className={styles["members"]}>
      {membersOf(document, schema).map((member, at) => (
        <MemberRow key={at} document={document} member={member} />
      ))}
    </ul>
  );
}

function MemberRow({ document, member }: { document: unknown; member: Member }) {
  const [isOpen, setOpen] = useState(false);
  const { type, constraints, description, isOpenable } = describe(document, member.schema);
  const said = member.isRequired ? [words.schema.required, ...constraints] : constraints;
  return (
    <li>
      <div className={styles["member"]}>
        <code className={styles["name"]}>{member.name}</code>
        {isOpenable ? (
          <button
            type="button"
            className={styles["opener"]}
            aria-expanded={isOpen}
            title={words.members.open(member.name)}
            onClick={() => setOpen(!isOpen)}
          >
            {type}
          </button>
        ) : (
          <code className={styles["type"]}>{type}</code>
        )}
        {said.length > 0 && <span className={styles["quiet"]}>{said.join(", ")}</span>}
        {description && (
          <div className={styles["meaning"]}>
            <Meaning description={description} constraints={[]} />
          </div>
        )}
      </div>
      {isOpen && <Members document={document} schema={member.schema} />}
    </li>
  );
}
