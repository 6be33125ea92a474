// The body that somebody is putting together: text of a type, or a form of fields.

import { useMemo, useState } from "react";
import { fieldsOf, type FormField } from "./document/form_fields";
import { isTypable, sampleText } from "./document/body";
import type { Operation } from "./document/operations";
import { type FilledBody, type Part, formFaults, formOf } from "./form";

export interface DraftBody {
  /** Undefined where the operation has no body, or none of a type that can be filled in. */
  bodyType: string | undefined;
  /** The types that can be filled in. */
  bodyTypes: readonly string[];
  setBodyType: (type: string) => void;
  /** What is typed, where it is no form of fields. */
  body: string;
  setBody: (body: string) => void;
  /** None where the body is text. */
  fields: readonly FormField[];
  parts: ReadonlyMap<string, Part>;
  setPart: (name: string, part: Part) => void;
  /** What is missing in the form, by names. */
  formFaults: ReadonlyMap<string, string>;
  /** What is sent. */
  sent: FilledBody;
}

export function useBody(document: unknown, operation: Operation): DraftBody {
  const bodies = useMemo(() => {
    const all = operation.body?.bodies ?? [];
    return all
      .map((body) => ({
        type: body.type,
        fields: fieldsOf(document, body),
        sample: sampleText(document, body, true),
      }))
      .filter(({ type, fields }) => isTypable(type) || fields.length > 0);
  }, [document, operation]);
  const [bodyType, setBodyType] = useState(bodies[0]?.type);
  /** By type, so that nothing is lost when another one is looked at. */
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [filled, setFilled] = useState<ReadonlyMap<string, ReadonlyMap<string, Part>>>(new Map());
  const chosen = bodies.find(({ type }) => type === bodyType);
  const type = bodyType ?? "";
  const fields = chosen?.fields ?? [];
  const parts: ReadonlyMap<string, Part> =
    filled.get(type) ?? new Map(fields.map(({ name, sample }) => [name, sample]));
  const body = typed.get(type) ?? chosen?.sample ?? "";
  return {
    bodyType,
    bodyTypes: bodies.map(({ type }) => type),
    setBodyType,
    body,
    setBody: (text) => setTyped(new Map(typed).set(type, text)),
    fields,
    parts,
    setPart: (name, part) => setFilled(new Map(filled).set(type, new Map(parts).set(name, part))),
    formFaults: formFaults(fields, parts),
    sent: fields.length > 0 ? formOf(type, fields, parts) : body,
  };
}
