// What can be called, of a document of OpenAPI 3.0 or 3.1: heads for the list, the whole of an
// operation when it is opened. A part that is not as it should be is left out, with a sentence.

import { text } from "../../text/text";
import { entries, list, member, object, words } from "./narrow";
import { follow } from "./pointer";
import { titleOf } from "./title";

/** An operation, as lists show it. */
export interface OperationHead {
  /** Names it in addresses: method and path in letters, digits and dashes. */
  slug: string;
  method: string;
  path: string;
  /** What stands for the method in lists, where it says more. */
  badge?: string;
  /** Its own id in the document. */
  id: string | undefined;
  /** What it is called: its summary, its id, else its path. */
  title: string;
  tags: readonly string[];
  isDeprecated: boolean;
}

export interface Contents {
  title: string;
  description: string | undefined;
  operations: readonly OperationHead[];
  /** Tags in the order in which operations first have them. */
  tags: readonly string[];
  faults: readonly string[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  isRequired: boolean;
  isDeprecated: boolean;
  description: string | undefined;
  schema: unknown;
  /** How a value with parts is written: `form`, `deepObject`, … */
  style: string;
  explode: boolean;
  example: unknown;
}

/** A body of one media type. */
export interface Body {
  type: string;
  schema: unknown;
  example: unknown;
}

export interface Answer {
  /** `200`, `4XX`, `default`. */
  status: string;
  description: string | undefined;
  bodies: readonly Body[];
  headers: readonly { name: string; description: string | undefined; schema: unknown }[];
  fault: string | undefined;
}

export interface Operation extends OperationHead {
  description: string | undefined;
  parameters: readonly Parameter[];
  body:
    { isRequired: boolean; description: string | undefined; bodies: readonly Body[] } | undefined;
  answers: readonly Answer[];
  /** Scopes that a token must have, of whichever scheme. */
  scopes: readonly string[];
  /** Whether a call needs no credential. */
  isAnonymous: boolean;
  faults: readonly string[];
}

/** A parameter in a path. */
export const PLACEHOLDER = /\{([^{}]+)\}/g;

/** What tells a parameter from others of its operation. */
export const keyOf = (parameter: Pick<Parameter, "in" | "name">): string =>
  `${parameter.in} ${parameter.name}`;

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
/** More are not shown; the gateway's import takes fewer. */
const OPERATIONS_MAX = 10_000;
const PARAMETERS_MAX = 200;
const SLUG_CHARACTERS_MAX = 160;

export function contents(document: unknown): Contents {
  const faults: string[] = [];
  const operations: OperationHead[] = [];
  const slugs = new Map<string, number>();
  const tags = new Set<string>();
  if (object(document) === undefined) faults.push(text.reference.faults.notObject);
  else if (object(member(document, "paths")) === undefined)
    faults.push(text.reference.faults.noPaths);
  for (const [path, written] of entries(member(document, "paths"))) {
    const { value: item, fault } = follow(document, written);
    if (fault !== undefined || object(item) === undefined) {
      faults.push(fault ?? text.reference.faults.badPart(path));
      continue;
    }
    for (const method of METHODS) {
      const written = member(item, method);
      if (written === undefined) continue;
      if (object(written) === undefined) {
        faults.push(text.reference.faults.badPart(`${method.toUpperCase()} ${path}`));
        continue;
      }
      if (operations.length >= OPERATIONS_MAX) break;
      const head = headOf(method.toUpperCase(), path, written);
      operations.push({ ...head, slug: unique(head.slug, slugs) });
      for (const tag of head.tags) tags.add(tag);
    }
  }
  const info = member(document, "info");
  return {
    title: titleOf(member(info, "title")) ?? "",
    description: words(member(info, "description")),
    operations,
    tags: [...tags],
    faults,
  };
}

function headOf(method: string, path: string, written: unknown): OperationHead {
  const id = words(member(written, "operationId"), 200);
  return {
    slug: slugOf(method, path),
    method,
    path,
    id,
    title: titleOf(member(written, "summary")) ?? id ?? path,
    tags: list(member(written, "tags")).flatMap((tag) => words(tag, 100) ?? []),
    isDeprecated: member(written, "deprecated") === true,
  };
}

function slugOf(method: string, path: string): string {
  const dashed = path.replaceAll(/[^\p{L}\p{N}_.]+/gu, "-").replaceAll(/^[-.]+|[-.]+$/g, "");
  const slug = dashed === "" ? method.toLowerCase() : `${method.toLowerCase()}-${dashed}`;
  // A character of two units is not cut in half.
  return slug.slice(0, SLUG_CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, "");
}

function unique(slug: string, taken: Map<string, number>): string {
  const before = taken.get(slug) ?? 0;
  taken.set(slug, before + 1);
  return before === 0 ? slug : unique(`${slug}-${before + 1}`, taken);
}

/** The whole of an operation. */
export function operationOf(document: unknown, head: OperationHead): Operation {
  const item = follow(document, member(member(document, "paths"), head.path)).value;
  const written = member(item, head.method.toLowerCase());
  const faults: string[] = [];
  return {
    ...head,
    description: words(member(written, "description")),
    parameters: parametersOf(document, head.path, [item, written], faults),
    body: bodyOf(document, member(written, "requestBody"), faults),
    answers: entries(member(written, "responses")).map(([status, it]) =>
      answerOf(document, status, it),
    ),
    ...securityOf(member(written, "security") ?? member(document, "security")),
    faults,
  };
}

/**
 * Those of the path, and those of the operation, which win over others of the same name and place.
 */
function parametersOf(
  document: unknown,
  path: string,
  [item, written]: readonly [unknown, unknown],
  faults: string[],
): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const [, name = ""] of path.matchAll(PLACEHOLDER)) {
    // One that the document forgets to describe is a text.
    const parameter = parameterOf(document, { name, in: "path", schema: { type: "string" } });
    if (parameter) found.set(keyOf(parameter), parameter);
  }
  const all = [...list(member(item, "parameters")), ...list(member(written, "parameters"))];
  for (const it of all.slice(0, PARAMETERS_MAX)) {
    const { value, fault } = follow(document, it);
    const parameter = parameterOf(document, value);
    if (parameter && isIgnored(parameter)) continue;
    if (parameter) found.set(keyOf(parameter), parameter);
    else faults.push(fault ?? text.reference.faults.badParameter);
  }
  return [...found.values()];
}

/** Headers that OpenAPI leaves to bodies and to security. */
function isIgnored(parameter: Parameter): boolean {
  return parameter.in === "header" && /^(accept|content-type|authorization)$/i.test(parameter.name);
}

function parameterOf(document: unknown, written: unknown): Parameter | undefined {
  const name = words(member(written, "name"), 200);
  const place = member(written, "in");
  if (name === undefined) return undefined;
  if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie") {
    return undefined;
  }
  const media = entries(member(written, "content"))[0];
  const style = words(member(written, "style")) ?? (place === "query" ? "form" : "simple");
  const explode = member(written, "explode");
  return {
    name,
    in: place,
    isRequired: place === "path" || member(written, "required") === true,
    isDeprecated: member(written, "deprecated") === true,
    description: words(member(written, "description")),
    schema: media ? member(media[1], "schema") : member(written, "schema"),
    style: media ? "content" : style,
    explode: typeof explode === "boolean" ? explode : style === "form",
    example: exampleOf(document, media ? media[1] : written),
  };
}

/** The first example of a parameter or a media type. */
function exampleOf(document: unknown, written: unknown): unknown {
  const own = member(written, "example");
  if (own !== undefined) return own;
  const first = entries(member(written, "examples"))[0];
  return first && member(follow(document, first[1]).value, "value");
}

function bodyOf(document: unknown, written: unknown, faults: string[]): Operation["body"] {
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
    example: exampleOf(document, media),
  }));
}

function answerOf(document: unknown, status: string, written: unknown): Answer {
  const { value, fault } = follow(document, written);
  const headers = entries(member(value, "headers")).map(([name, it]) => {
    const header = follow(document, it).value;
    return {
      name,
      description: words(member(header, "description")),
      schema: member(header, "schema"),
    };
  });
  const isBad = object(value) === undefined;
  return {
    status,
    description: words(member(value, "description")),
    bodies: bodiesOf(document, member(value, "content")),
    headers,
    fault: isBad ? (fault ?? text.reference.faults.badAnswer) : undefined,
  };
}

/** Alternatives of schemes with their scopes; an empty alternative asks for nothing. */
function securityOf(written: unknown): Pick<Operation, "scopes" | "isAnonymous"> {
  const alternatives = list(written);
  const scopes = alternatives
    .flatMap((alternative) => entries(alternative))
    .flatMap(([, asked]) => list(asked))
    .flatMap((scope) => words(scope, 100) ?? []);
  const isEmpty = (alternative: unknown) =>
    object(alternative) !== undefined && entries(alternative).length === 0;
  return {
    scopes: [...new Set(scopes)],
    isAnonymous: Array.isArray(written) && (written.length === 0 || alternatives.some(isEmpty)),
  };
}
