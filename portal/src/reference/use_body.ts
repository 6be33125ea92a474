// The state of the body in try-it: a text, a form or a file, for each media type.

import { useCallback, useMemo, useState } from "react";
import type { SentBody } from "./call_request";
import type { FormField } from "./document/form_fields";
import type { Part } from "./form";
import { type PreparedBody, initialParts, sentBody } from "./sent_body";

export interface DraftBody {
  kind: SentBody["kind"];
  /** Undefined if the operation has no body. */
  type: string | undefined;
  types: readonly string[];
  setType: (type: string) => void;
  schema: unknown;
  /** The text that the body begins with. */
  sample: string;
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

/** Input by media type, which is kept when another one is selected. */
type ByType<T> = ReadonlyMap<string, T>;

export function useBody(document: unknown, bodies: readonly PreparedBody[]): DraftBody {
  const [chosen, setType] = useState(bodies[0]?.type);
  const [texts, setTexts] = useState<ByType<string>>(new Map());
  const [files, setFiles] = useState<ByType<File | undefined>>(new Map());
  const [filled, setFilled] = useState<ByType<ReadonlyMap<string, Part>>>(new Map());
  const body = bodies.find(({ type }) => type === chosen);
  const type = body?.type ?? "";
  const fields = body?.fields ?? NO_FIELDS;
  const sample = body?.sample ?? "";
  const text = texts.get(type) ?? sample;
  const file = files.get(type);
  const parts = useMemo(() => filled.get(type) ?? initialParts(fields), [filled, type, fields]);
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
        new Map(all).set(type, new Map(all.get(type) ?? initialParts(fields)).set(name, part)),
      ),
    [type, fields],
  );
  const sent = useMemo(
    () => body && sentBody(document, body, { text, file, parts }),
    [document, body, text, file, parts],
  );
  return useMemo(
    () => ({
      kind: body?.kind ?? "text",
      type: body?.type,
      types: bodies.map((it) => it.type),
      setType,
      schema: body?.schema,
      sample,
      text,
      setText,
      file,
      setFile,
      fields,
      parts,
      setPart,
      sent,
    }),
    [bodies, body, sample, text, setText, file, setFile, fields, parts, setPart, sent],
  );
}

const NO_FIELDS: readonly FormField[] = [];
