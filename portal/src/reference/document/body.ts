// A sample body as it is sent: an example of the document, or a generated value.

import { allowedOf, isAllowed } from "./given";
import type { Body, Example } from "./messages";
import type { Chosen } from "./choices";
import { isJson, isUrlEncoded, isXml } from "./media_types";
import { ANY, sampleOf } from "./sample";
import { jsonTypesOf } from "./types";
import { valueText } from "./value_text";

/**
 * Returns the first example that the schema allows, else a generated value. A request's is never
 * empty, because a required body could not be sent then.
 */
export function sampleText(
  document: unknown,
  body: Body,
  isRequest: boolean,
  chosen: Chosen = new Map(),
): string {
  const examples = chosen.size > 0 ? [] : [body.example, ...(body.examples ?? []).map(valueOf)];
  const given = examples.filter((it) => it !== undefined && it !== null);
  if (!isRequest) {
    const value = given[0] ?? sampleOf(document, body.schema, false, chosen);
    return value === undefined || value === null ? "" : valueText(document, body, value);
  }
  const checked = isJson(body.type) ? allowedOf(document, body.schema, given) : given[0];
  if (checked !== undefined) return valueText(document, body, checked);
  const made = sampleOf(document, body.schema, true, chosen);
  const isBetter = made !== undefined && isAllowed(document, body.schema, made);
  const value = isBetter ? made : (given[0] ?? made);
  const text = valueText(document, body, value ?? fallbackOf(document, body));
  return text === "" ? valueText(document, body, fallbackOf(document, body)) : text;
}

const valueOf = ({ value }: Example) => value;

/** Returns the value of a body that is not described, or of which null is the only sample. */
function fallbackOf(document: unknown, { type, schema }: Body): unknown {
  if (isUrlEncoded(type)) return { name: ANY };
  if (!isJson(type) && !isXml(type)) return ANY;
  return jsonTypesOf(document, schema).has("null") ? null : {};
}
