// Operations: heads for the list, and the details of the open one, read from its OpenAPI 3.0 or 3.1
// document. Invalid parts are left out, with a sentence.

import type { OperationList } from "../../api/queries/catalogue";
import { type About, type Docs, type Tag, aboutOf, docsOf, tagsOf } from "./about";
import { type Answer, type RequestBody, answersOf, bodyOf } from "./messages";
import { entries, list, member, object, words } from "./narrow";
import { type Parameter, parametersOf } from "./parameters";
import { follow } from "./pointer";
import { titleOf } from "./title";

/** An operation in lists. */
export interface OperationHead {
  /** Identifies it in addresses: method and path in letters, digits and dashes. */
  slug: string;
  method: string;
  path: string;
  /** Shown in place of the method in lists, if it is more specific. */
  badge?: string;
  /** Its id in the document. */
  id: string | undefined;
  /** Display name: its summary, its id, else its path. */
  title: string;
  tags: readonly string[];
  isDeprecated: boolean;
  /** Whether it is a webhook: the API sends the request to registered receivers. */
  isWebhook?: true;
}

export interface Contents {
  operations: readonly OperationHead[];
  /** Tags, in the order of their first use. */
  tags: readonly string[];
  /** Descriptions of the tags. */
  tagTexts?: readonly Tag[];
  about?: About;
  faults: readonly string[];
}

/** A request that the API sends to an address given in a call. */
export interface Callback {
  name: string;
  method: string;
  /** Its address: an OpenAPI runtime expression. */
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
  /** Scopes that a token must have, for any scheme. */
  scopes: readonly string[];
  /** Whether a call needs no credential. */
  isAnonymous: boolean;
  faults: readonly string[];
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
const CALLBACKS_MAX = 50;

export function contents({ document, operations: listed, faults }: OperationList): Contents {
  const operations = listed.map(headOf);
  return {
    operations,
    tags: [...new Set(operations.flatMap(({ tags }) => tags))],
    tagTexts: tagsOf(document),
    about: aboutOf(document),
    faults: faults.map(({ field, detail }) => `${field}: ${detail}`),
  };
}

function headOf(listed: OperationList["operations"][number]): OperationHead {
  const { id: slug, method, path, deprecated, webhook } = listed;
  const id = words(listed.operation_id, 200);
  return {
    slug,
    method,
    path,
    id,
    title: titleOf(listed.summary) ?? id ?? path,
    tags: listed.tags.flatMap((tag) => words(tag, 100) ?? []),
    isDeprecated: deprecated,
    ...(webhook && { isWebhook: true as const }),
  };
}

/** Returns the operations of a path item: method and operation. */
function operationsIn(item: unknown): [string, unknown][] {
  return METHODS.flatMap((method): [string, unknown][] => {
    const written = member(item, method);
    return written === undefined ? [] : [[method, written]];
  });
}

/** Reads the details of an operation from its own document. */
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

/** Joins the description of the path item and that of the operation. */
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

/** Reads the security alternatives with their scopes; an empty one requires no credential. */
function securityOf(written: unknown): Pick<Operation, "scopes" | "isAnonymous"> {
  const alternatives = list(written);
  const scopes = alternatives
    .flatMap((alternative) => entries(alternative))
    .flatMap(([, required]) => list(required))
    .flatMap((scope) => words(scope, 100) ?? []);
  const isEmpty = (alternative: unknown) =>
    object(alternative) !== undefined && entries(alternative).length === 0;
  return {
    scopes: [...new Set(scopes)],
    isAnonymous: Array.isArray(written) && (written.length === 0 || alternatives.some(isEmpty)),
  };
}
