// The source of a document: a file, a URL or pasted text.

import { type DragEvent, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { Problem } from "../../api/problem";
import type { Form as SourceForm, Source } from "../../api/queries/imports";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Actions } from "../../ui/Dialog";
import { TextField } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { Note } from "../../ui/Note";
import { Grid } from "../../ui/Page";
import styles from "./SourceStep.module.css";
import { BYTES_MAX, looksLikeWsdl, recognise } from "./documents";

const words = text.publisher.import.source;

interface SourceStepProps {
  onSource: (source: Source) => void;
  /** The form that the document must have; detected if absent. */
  form?: SourceForm | undefined;
}

export function SourceStep(props: SourceStepProps) {
  return (
    <Grid columns="2">
      <Card title={words.file} note={words.fileNotes[props.form ?? "any"]}>
        <FromFile {...props} />
      </Card>
      <Grid columns="1">
        <Card title={words.url} note={words.urlNote}>
          <FromUrl {...props} />
        </Card>
        <Card title={words.paste} note={words.pasteNotes[props.form ?? "any"]}>
          <Pasted {...props} />
        </Card>
      </Grid>
    </Grid>
  );
}

/** Detects the form of a document; throws a problem if it cannot be imported. */
function sourceOf(bytes: Uint8Array<ArrayBuffer>, name: string, form?: SourceForm): Source {
  const found = recognise(bytes);
  if (typeof found === "string") throw Problem.atField("/document", words.unusable[found]);
  const isOther = form !== undefined && form !== found.form;
  if (isOther) throw Problem.atField("/document", words.otherForm[form]);
  return { id: crypto.randomUUID(), name, body: new Blob([bytes]), ...found };
}

const FILE_TYPES: Record<SourceForm, readonly string[]> = {
  openapi: [".json", ".yaml", ".yml"],
  wsdl: [".wsdl", ".xml", ".zip"],
};

function FromFile({ onSource, form }: SourceStepProps) {
  const [fault, setFault] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const read = async (file: File | null | undefined) => {
    if (!file) return;
    setFault(null);
    try {
      if (file.size > BYTES_MAX) throw new Error(words.unusable.too_large);
      onSource(sourceOf(new Uint8Array(await file.arrayBuffer()), file.name, form));
    } catch (error) {
      setFault(Problem.from(error).message);
    }
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <>
      {fault !== null && <Note tone="bad">{fault}</Note>}
      <div
        className={styles["drop"]}
        data-over={isOver || undefined}
        onDragEnter={over}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void read(event.dataTransfer.files[0]);
        }}
      >
        <p>{words.drop}</p>
        <FileTrigger
          acceptedFileTypes={form ? FILE_TYPES[form] : Object.values(FILE_TYPES).flat()}
          onSelect={(files) => void read(files?.[0])}
        >
          <Button look="primary">{words.choose}</Button>
        </FileTrigger>
        <p className={styles["note"]}>{words.bounds[form ?? "any"]}</p>
      </div>
    </>
  );
}

function FromUrl({ onSource, form }: SourceStepProps) {
  const [url, setUrl] = useState("");
  const read = () => {
    if (!URL.canParse(url)) throw Problem.atField("/url", words.noUrl);
    onSource({
      id: crypto.randomUUID(),
      form: form ?? (looksLikeWsdl(url) ? "wsdl" : "openapi"),
      name: url,
      contentType: "application/json",
      body: new Blob([JSON.stringify({ url })]),
      isFetched: true,
    });
    return Promise.resolve();
  };
  return (
    <Form label={words.url} onSubmit={async () => read()}>
      {(isPending) => (
        <>
          <TextField
            label={words.address}
            value={url}
            onChange={setUrl}
            pointer="/url"
            type="url"
            mono
            isRequired
          />
          <Actions>
            <Button type="submit" isPending={isPending}>
              {words.fetch}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}

function Pasted({ onSource, form }: SourceStepProps) {
  const [document, setDocument] = useState("");
  const read = () => {
    onSource(sourceOf(new TextEncoder().encode(document), "", form));
    return Promise.resolve();
  };
  return (
    <Form label={words.paste} onSubmit={async () => read()}>
      {(isPending) => (
        <>
          <TextField
            label={words.document}
            value={document}
            onChange={setDocument}
            pointer="/document"
            lines={6}
            mono
          />
          <Actions>
            <Button type="submit" isPending={isPending}>
              {words.read}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}
