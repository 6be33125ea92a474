// The state of the body in try-it: a text, a form or a file, for each media type.

import { useCallback, useMemo, useState } from "react";
import type { SentBody } from "./call_request";
import { sampleText } from "./document/body";
import type { Chosen } from "./document/choices";
import { fieldsOf, type FormField } from "./document/form_fields";
import { isTypable } from "./document/media_types";
import type { Body } from "./document/messages";
import type { Operation } from "./document/operations";
import { type Part, fileTypeOf, formOf } from "./form";

export interface DraftBody {
  kind: SentBody["kind"];
  /** Undefined if the operation has no body. */
  type: string | undefined;
  types: readonly string[];
  setType: (type: string) => void;
  schema: unknown;
  text: string;
  setText: (text: string) => void;
  file: File | undefined;
  setFile: (file: File | undefined) => void;
  /** Empty unless it is a form. */
  fields: readonly FormField[];
  parts: ReadonlyMap<string, Part>;
  setPart: (name: string, part: Part | undefined) => void;
  /** Undefined if the call has no body. */
  sent: SentBody | undefined;
}

interface Prepared extends Pick<DraftBody, "kind" | "fields" | "schema"> {
  type: string;
  sample: string;
}

/** Input by media type, which is kept when another one is selected. */
type ByType<T> = ReadonlyMap<string, T>;

/** The alternatives selected in the schema of a media type. */
export interface ChosenBody {
  type: string;
  chosen: Chosen;
}

export function useBody(
  document: unknown,
  operation: Operation,
  alternatives: ChosenBody | undefined,
): DraftBody {
  const bodies = useMemo(
    () => (operation.body?.bodies ?? []).map((it) => prepare(document, it, alternatives)),
    [document, operation, alternatives],
  );
  const [chosen, setType] = useState(bodies[0]?.type);
  const [texts, setTexts] = useState<ByType<string>>(new Map());
  const [files, setFiles] = useState<ByType<File | undefined>>(new Map());
  const [filled, setFilled] = useState<ByType<ReadonlyMap<string, Part>>>(new Map());
  const body = bodies.find(({ type }) => type === chosen);
  const type = body?.type ?? "";
  const fields = body?.fields ?? NO_FIELDS;
  const text = texts.get(type) ?? body?.sample ?? "";
  const file = files.get(type);
  const parts = useMemo(() => filled.get(type) ?? begun(fields), [filled, type, fields]);
  const setText = useCallback(
    (it: string) => setTexts((all) => new Map(all).set(type, it)),
    [type],
  );
  const setFile = useCallback(
    (it: File | undefined) => setFiles((all) => new Map(all).set(type, it)),
    [type],
  );
  const setPart = useCallback(
    (name: string, part: Part = "") =>
      setFilled((all) =>
        new Map(all).set(type, new Map(all.get(type) ?? begun(fields)).set(name, part)),
      ),
    [type, fields],
  );
  const sent = useMemo((): SentBody | undefined => {
    switch (body?.kind) {
      case "form":
        return formOf(document, type, fields, parts);
      case "file":
        return file && { kind: "file", type: fileTypeOf(file, type), file };
      case "text":
        return text === "" ? undefined : { kind: "text", type: textTypeOf(type, text), text };
      case undefined:
        return undefined;
    }
  }, [document, body, type, fields, parts, file, text]);
  return useMemo(
    () => ({
      kind: body?.kind ?? "text",
      type: body?.type,
      types: bodies.map((it) => it.type),
      setType,
      schema: body?.schema,
      text,
      setText,
      file,
      setFile,
      fields,
      parts,
      setPart,
      sent,
    }),
    [bodies, body, text, setText, file, setFile, fields, parts, setPart, sent],
  );
}

const NO_FIELDS: readonly FormField[] = [];

function prepare(document: unknown, body: Body, alternatives: ChosenBody | undefined): Prepared {
  const { type, schema } = body;
  const fields = fieldsOf(document, body);
  if (fields.length > 0) return { kind: "form", type, schema, fields, sample: "" };
  if (!isTypable(type)) return { kind: "file", type, schema, fields, sample: "" };
  const chosen = alternatives?.type === type ? alternatives.chosen : undefined;
  const sample = sampleText(document, body, true, chosen);
  return { kind: "text", type, schema, fields, sample };
}

function begun(fields: readonly FormField[]): ReadonlyMap<string, Part> {
  return new Map(fields.map(({ name, sample }) => [name, sample]));
}

/** The media type of a text where the document names a range, e.g. `text/*`. */
function textTypeOf(type: string, text: string): string {
  if (!type.includes("*")) return type;
  return type.startsWith("*/*") && /^\s*[[{]/.test(text) ? "application/json" : "text/plain";
}
