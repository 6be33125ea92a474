// What can be called, of a document of OpenAPI 3.0 or 3.1: heads for the list, the whole of an
// operation when it is opened. A part that is not as it should be is left out, with a sentence.

import { text } from "../../text/text";
import { type About, type Docs, type Tag, aboutOf, docsOf, tagsOf } from "./about";
import { type Answer, type RequestBody, answersOf, bodyOf } from "./messages";
import { entries, list, member, object, words } from "./narrow";
import { type Parameter, parametersOf } from "./parameters";
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
  /** Whether the API calls it: what it describes is sent to who has asked for that. */
  isWebhook?: true;
}

export interface Contents {
  title: string;
  description: string | undefined;
  operations: readonly OperationHead[];
  /** Tags in the order in which operations first have them. */
  tags: readonly string[];
  /** Descriptions of the tags. */
  tagTexts?: readonly Tag[];
  about?: About;
  faults: readonly string[];
}

/** What the API calls at an address that a call has given it. */
export interface Callback {
  name: string;
  method: string;
  /** Where it goes: an expression of OpenAPI. */
  address: string;
  title: string | undefined;
  description: string | undefined;
  body: RequestBody | undefined;
  answers: readonly Answer[];
}

export interface Operation extends OperationHead {
  description: string | undefined;
  parameters: readonly Parameter[];
  body: RequestBody | undefined;
  answers: readonly Answer[];
  callbacks?: readonly Callback[];
  docs?: Docs | undefined;
  /** Scopes that a token must have, of whichever scheme. */
  scopes: readonly string[];
  /** Whether a call needs no credential. */
  isAnonymous: boolean;
  faults: readonly string[];
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
/** More are not shown; the gateway's import takes fewer. */
const OPERATIONS_MAX = 10_000;
const CALLBACKS_MAX = 50;
const SLUG_CHARACTERS_MAX = 160;

export function contents(document: unknown): Contents {
  const faults: string[] = [];
  if (object(document) === undefined) faults.push(text.reference.faults.notObject);
  else if (
    object(member(document, "paths")) === undefined &&
    object(member(document, "webhooks")) === undefined
  )
    faults.push(text.reference.faults.noPaths);
  const slugs = new Map<string, number>();
  const heads = [
    ...headsIn(document, "paths", faults),
    ...headsIn(document, "webhooks", faults).map((head) => ({ ...head, isWebhook: true as const })),
  ];
  const operations = heads
    .slice(0, OPERATIONS_MAX)
    .map((head) => ({ ...head, slug: unique(head.slug, slugs) }));
  const info = member(document, "info");
  return {
    title: titleOf(member(info, "title")) ?? "",
    description: words(member(info, "description")),
    operations,
    tags: [...new Set(operations.flatMap(({ tags }) => tags))],
    tagTexts: tagsOf(document),
    about: aboutOf(document),
    faults,
  };
}

/** The operations of paths or of webhooks. */
function headsIn(document: unknown, part: "paths" | "webhooks", faults: string[]): OperationHead[] {
  const heads: OperationHead[] = [];
  for (const [path, written] of entries(member(document, part))) {
    if (path.startsWith("x-")) continue;
    const { value: item, fault } = follow(document, written);
    if (fault !== undefined || object(item) === undefined) {
      faults.push(fault ?? text.reference.faults.badPart(path));
      continue;
    }
    for (const [method, operation] of operationsIn(item)) {
      const name = method.toUpperCase();
      if (object(operation) === undefined) {
        faults.push(text.reference.faults.badPart(`${name} ${path}`));
        continue;
      }
      if (heads.length >= OPERATIONS_MAX) return heads;
      heads.push(headOf(name, path, operation));
    }
  }
  return heads;
}

/** The operations of a path item: method and operation. */
function operationsIn(item: unknown): [string, unknown][] {
  return METHODS.flatMap((method): [string, unknown][] => {
    const written = member(item, method);
    return written === undefined ? [] : [[method, written]];
  });
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
  const part = member(document, head.isWebhook ? "webhooks" : "paths");
  const item = follow(document, member(part, head.path)).value;
  const written = member(item, head.method.toLowerCase());
  const faults: string[] = [];
  return {
    ...head,
    description: descriptionOf(item, written),
    parameters: parametersOf(document, head.path, [item, written], faults),
    body: bodyOf(document, member(written, "requestBody"), faults),
    answers: answersOf(document, member(written, "responses")),
    callbacks: callbacksOf(document, member(written, "callbacks"), faults),
    docs: docsOf(member(written, "externalDocs")),
    ...securityOf(member(written, "security") ?? member(document, "security")),
    faults,
  };
}

/** The description of the path item, then the own one. */
function descriptionOf(item: unknown, written: unknown): string | undefined {
  const texts = [item, written].flatMap((it) => words(member(it, "description")) ?? []);
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

function callbacksOf(document: unknown, written: unknown, faults: string[]): Callback[] {
  const found: Callback[] = [];
  for (const [name, it] of entries(written)) {
    for (const [address, item] of entries(follow(document, it).value)) {
      const operations = operationsIn(follow(document, item).value);
      for (const [method, operation] of operations) {
        if (found.length >= CALLBACKS_MAX) return found;
        found.push({
          name,
          method: method.toUpperCase(),
          address,
          title: titleOf(member(operation, "summary")),
          description: words(member(operation, "description")),
          body: bodyOf(document, member(operation, "requestBody"), faults),
          answers: answersOf(document, member(operation, "responses")),
        });
      }
    }
  }
  return found;
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
