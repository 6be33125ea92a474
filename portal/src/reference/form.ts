// A form that somebody has filled in, as it is sent. Files stay with the browser, which reads them
// when it sends them.

import { text } from "../text/text";
import { type FormField, isMultipart } from "./document/form_fields";

/** What a field holds: what was typed, or the files that were chosen. */
export type Part = string | readonly File[];

/** A body: text, or a form whose boundary the browser chooses. */
export type FilledBody = string | FormData;

export function formOf(
  type: string,
  fields: readonly FormField[],
  parts: ReadonlyMap<string, Part>,
): FilledBody {
  const form = isMultipart(type) ? new FormData() : new URLSearchParams();
  for (const field of fields) {
    const part = parts.get(field.name) ?? "";
    for (const value of valuesOf(field, part)) {
      if (typeof value === "string") form.append(field.name, value);
      else if (form instanceof FormData) form.append(field.name, value, value.name);
    }
  }
  return form instanceof FormData ? form : form.toString();
}

function valuesOf({ isList }: FormField, part: Part): readonly (string | File)[] {
  if (typeof part !== "string") return part;
  if (part === "") return [];
  return isList ? part.split(",").map((it) => it.trim()) : [part];
}

/** What is missing, by the names of fields. */
export function formFaults(
  fields: readonly FormField[],
  parts: ReadonlyMap<string, Part>,
): ReadonlyMap<string, string> {
  const missing = fields.filter(({ name, isRequired }) => isRequired && !parts.get(name)?.length);
  return new Map(missing.map(({ name }) => [name, text.reference.tryIt.missing(name)]));
}
