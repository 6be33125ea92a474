import { memo, useState } from "react";
import { bytes } from "../text/format";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Actions } from "../ui/Dialog";
import { Select, TextField } from "../ui/Field";
import { FileField } from "../ui/FileField";
import { BODILESS } from "./call";
import { controlOf } from "./document/control";
import type { FormField } from "./document/form_fields";
import type { Operation } from "./document/operations";
import { BODY, type Faults, fieldKey } from "./faults";
import type { Part } from "./form";
import type { DraftBody } from "./use_body";
import { ValueField } from "./ValueField";
import styles from "./TryIt.module.css";

const words = text.reference.tryIt;
const LINES_MAX = 16;
/** Browsers take seconds to lay out longer text in a field. */
const TEXT_CHARACTERS_MAX = 200_000;

interface BodyFieldProps {
  document: unknown;
  operation: Operation;
  body: DraftBody;
  faults: Faults;
}

/** The body of a call: form fields, a text, or a file. */
export function BodyField({ document, operation, body, faults }: BodyFieldProps) {
  const { kind, type, types, fields, parts, setPart } = body;
  if (type === undefined) return null;
  return (
    <>
      {BODILESS.has(operation.method) && (
        <p className={styles["quiet"]}>
          {operation.method === "HEAD"
            ? words.noBodyOfHead
            : words.noBodyByBrowsers(operation.method)}
        </p>
      )}
      {types.length > 1 && (
        <Select
          label={words.bodyType}
          value={type}
          choices={types.map((it) => ({ value: it, label: it }))}
          onChange={body.setType}
        />
      )}
      {kind === "form" &&
        fields.map((field) => (
          <PartField
            key={`${type} ${field.name}`}
            document={document}
            field={field}
            part={parts.get(field.name) ?? ""}
            setPart={setPart}
            fault={faults.get(fieldKey(field.name))}
          />
        ))}
      {kind === "text" && <BodyText key={type} body={body} fault={faults.get(BODY)} />}
      {kind === "file" && (
        <FileField
          label={words.fileOfType(type)}
          files={body.file ? [body.file] : []}
          onChange={([file]) => body.setFile(file)}
          isMultiple={false}
          choose={words.choose}
          none={words.noFile}
          fault={faults.get(BODY)}
        />
      )}
    </>
  );
}

function BodyText({ body, fault }: { body: DraftBody; fault: string | undefined }) {
  const [isOpen, setOpen] = useState(body.text.length <= TEXT_CHARACTERS_MAX);
  if (!isOpen) {
    return (
      <>
        <p>{words.largeBody(bytes(body.text.length))}</p>
        <Actions>
          <Button small onPress={() => setOpen(true)}>
            {words.edit}
          </Button>
        </Actions>
      </>
    );
  }
  const lines = Math.min(Math.max(body.text.split("\n", LINES_MAX).length, 3), LINES_MAX);
  return (
    <TextField
      label={words.body}
      value={body.text}
      onChange={body.setText}
      lines={lines}
      mono
      fault={fault}
    />
  );
}

interface PartFieldProps {
  document: unknown;
  field: FormField;
  part: Part;
  setPart: DraftBody["setPart"];
  fault: string | undefined;
}

const PartField = memo(function PartField(props: PartFieldProps) {
  const { document, field, part, setPart, fault } = props;
  const { name, isRequired, isFile, isList } = field;
  const label = isRequired ? name : words.optional(name);
  if (isFile) {
    return (
      <FileField
        label={label}
        files={typeof part === "string" ? [] : part}
        onChange={(files) => setPart(name, files)}
        isMultiple={isList}
        choose={isList ? words.chooseSome : words.choose}
        none={words.noFile}
        fault={fault}
      />
    );
  }
  return (
    <ValueField
      label={label}
      control={controlOf(document, field.schema)}
      value={typeof part === "string" && part !== "" ? part : undefined}
      onChange={(value) => setPart(name, value)}
      hint={isList ? words.commaSeparated : undefined}
      fault={fault}
    />
  );
});
