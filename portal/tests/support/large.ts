// Large data: a document of thousands of operations, and a response of 1 MiB, both costly to show:
// cyclic references, many small values.

import { createServer } from "node:http";
import { type BackEnd, listening } from "./upstream";

const MIB = 1024 * 1024;

/** Returns an OpenAPI document with `count` operations, two per path. */
export function manyOperations(count: number): string {
  const things = Array.from({ length: count / 2 }, (_, at) => at);
  const reference = (at: number) => ({ $ref: `#/components/schemas/Thing${at % things.length}` });
  const schema = (at: number) => ({
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string", description: "Its *id*" },
      next: reference(at + 1),
      others: { type: "array", items: reference(at + 7) },
    },
  });
  const item = (at: number) => {
    const content = { "application/json": { schema: reference(at) } };
    const responses = { 200: { description: "The thing", content } };
    const shared = { tags: [`part ${at % 40}`], responses };
    const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
    const summary = (verb: string) => `${verb} thing ${at}`;
    return {
      parameters: [id],
      get: { ...shared, operationId: `read${at}`, summary: summary("Read") },
      put: {
        ...shared,
        operationId: `change${at}`,
        summary: summary("Change"),
        requestBody: { content },
      },
    };
  };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Large", version: "1.0" },
    paths: Object.fromEntries(things.map((at) => [`/things${at}/{id}`, item(at)])),
    components: { schemas: Object.fromEntries(things.map((at) => [`Thing${at}`, schema(at)])) },
  });
}

/** Returns 1 MiB of JSON with small rows. */
function manyRows(): string {
  const row = (at: number) => ({
    id: at,
    name: `row ${at}`,
    tags: ["a", "b"],
    at: { x: at, y: at },
  });
  const rows: string[] = [];
  for (let length = 0; length < MIB; length += rows.at(-1)?.length ?? 0) {
    rows.push(JSON.stringify(row(rows.length)));
  }
  return `[${rows.join(",")}]`;
}

/** Starts a back end that answers every call with 1 MiB of JSON. */
export async function startLargeBackEnd(): Promise<BackEnd> {
  const body = manyRows();
  const server = createServer((_, answer) => {
    answer.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  return listening(server);
}
