import { text } from "../text/text";
import { Card } from "../ui/Card";
import { Markdown } from "../ui/Markdown";
import { Table } from "../ui/Table";
import type { Operation } from "./document/operations";
import { typeOf } from "./document/schema";
import styles from "./Details.module.css";

const words = text.reference.body;

interface BodyTypesProps {
  document: unknown;
  body: NonNullable<Operation["body"]>;
}

/** What a body may be. */
export function BodyTypes({ document, body }: BodyTypesProps) {
  return (
    <Card title={words.title} note={body.isRequired ? undefined : words.optional} flush>
      {body.description && <Markdown source={body.description} />}
      <Table
        label={words.title}
        rows={body.bodies}
        keyOf={({ type }) => type}
        columns={[
          { title: words.type, isName: true, cell: ({ type }) => <code>{type}</code> },
          {
            title: words.holds,
            cell: ({ schema }) => (
              <code className={styles["cell"]}>{typeOf(document, schema)}</code>
            ),
          },
        ]}
      />
    </Card>
  );
}
