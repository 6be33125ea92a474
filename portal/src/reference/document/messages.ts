// Requests and responses of operations, callbacks and webhooks: bodies with examples, responses
// with headers and links.

import { text } from "../../text/text";
import { entries, member, object, words } from "./narrow";
import { follow } from "./pointer";
import { titleOf } from "./title";

/** An example in the document. */
export interface Example {
  name: string;
  /** One-line summary. */
  summary: string | undefined;
  value: unknown;
}

/** A body of one media type. */
export interface Body {
  type: string;
  schema: unknown;
  /** The first example. */
  example: unknown;
  /** Named examples; absent if there is an unnamed one. */
  examples?: readonly Example[];
  /** The encoding of form fields, by name. */
  encoding?: unknown;
}

export interface RequestBody {
  isRequired: boolean;
  description: string | undefined;
  bodies: readonly Body[];
}

export interface AnswerHeader {
  name: string;
  description: string | undefined;
  schema: unknown;
  isRequired: boolean;
  isDeprecated: boolean;
}

/** A link from a response to another operation. */
export interface AnswerLink {
  name: string;
  description: string | undefined;
  /** Operation id, else the last part of the reference to it. */
  operation: string | undefined;
  /** Sources of its parameters: names and expressions. */
  parameters: readonly (readonly [string, string])[];
}

export interface Answer {
  /** `200`, `4XX`, `default`. */
  status: string;
  description: string | undefined;
  bodies: readonly Body[];
  headers: readonly AnswerHeader[];
  links?: readonly AnswerLink[];
  fault: string | undefined;
}

/** Maximum number of examples read per body. */
const EXAMPLES_MAX = 50;

/** Returns the examples of a parameter or a media type. */
export function examplesOf(
  document: unknown,
  written: unknown,
): { example: unknown; examples: Example[] } {
  const own = member(written, "example");
  if (own !== undefined) return { example: own, examples: [] };
  const named = entries(member(written, "examples")).slice(0, EXAMPLES_MAX);
  const examples = named.flatMap(([name, it]): Example[] => {
    const { value } = follow(document, it);
    const shown = member(value, "value");
    return shown === undefined
      ? []
      : [{ name, summary: titleOf(member(value, "summary")), value: shown }];
  });
  return { example: examples[0]?.value, examples };
}

/** Reads a request body; reports a fault if it is not valid OpenAPI. */
export function bodyOf(
  document: unknown,
  written: unknown,
  faults: string[],
): RequestBody | undefined {
  if (written === undefined) return undefined;
  const { value, fault } = follow(document, written);
  if (object(value) === undefined) {
    faults.push(fault ?? text.reference.faults.badBody);
    return undefined;
  }
  return {
    isRequired: member(value, "required") === true,
    description: words(member(value, "description")),
    bodies: bodiesOf(document, member(value, "content")),
  };
}

function bodiesOf(document: unknown, content: unknown): Body[] {
  return entries(content).map(([type, media]) => ({
    type,
    schema: member(media, "schema"),
    encoding: member(media, "encoding"),
    ...examplesOf(document, media),
  }));
}

/** Returns the responses, in the order of the document. */
export function answersOf(document: unknown, written: unknown): Answer[] {
  return entries(written)
    .filter(([status]) => !status.startsWith("x-"))
    .map(([status, it]) => answerOf(document, status, it));
}

function answerOf(document: unknown, status: string, written: unknown): Answer {
  const { value, fault } = follow(document, written);
  const isBad = object(value) === undefined;
  return {
    status,
    description: words(member(value, "description")),
    bodies: bodiesOf(document, member(value, "content")),
    headers: headersOf(document, member(value, "headers")),
    links: linksOf(document, member(value, "links")),
    fault: isBad ? (fault ?? text.reference.faults.badAnswer) : undefined,
  };
}

function headersOf(document: unknown, written: unknown): AnswerHeader[] {
  return entries(written).map(([name, it]) => {
    const header = follow(document, it).value;
    const media = entries(member(header, "content"))[0];
    return {
      name,
      description: words(member(header, "description")),
      schema: media ? member(media[1], "schema") : member(header, "schema"),
      isRequired: member(header, "required") === true,
      isDeprecated: member(header, "deprecated") === true,
    };
  });
}

function linksOf(document: unknown, written: unknown): AnswerLink[] {
  return entries(written).map(([name, it]) => {
    const link = follow(document, it).value;
    const reference = words(member(link, "operationRef"), 500);
    const parameters = entries(member(link, "parameters")).map(
      ([parameter, value]) => [parameter, words(value, 200) ?? JSON.stringify(value)] as const,
    );
    return {
      name,
      description: words(member(link, "description")),
      operation: words(member(link, "operationId"), 200) ?? reference,
      parameters,
    };
  });
}
