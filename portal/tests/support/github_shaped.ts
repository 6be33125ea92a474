// A document like GitHub's: 1,222 operations in 12.4 MiB, mostly examples, with shared schemas that
// refer to each other.

const OPERATIONS = 1_222;
const SCHEMAS = 900;
const BYTES = Math.round(12.4 * 1024 * 1024);

const schemaOf = (at: number) => `thing-${at % SCHEMAS}`;
const to = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** Returns a schema of twenty fields, which refers to simpler ones and to two shared ones. */
function schema(at: number) {
  const fields = Array.from({ length: 20 }, (_, field): [string, object] => {
    const description = `Field ${field} of thing ${at}, which tells what it has to tell.`;
    return [`field_${field}`, { type: "string", description, example: `value ${field}` }];
  });
  return {
    title: `Thing ${at}`,
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "integer" },
      owner: to("schemas", schemaOf(0)),
      parent: { anyOf: [to("schemas", schemaOf(1)), { type: "null" }] },
      simpler: to("schemas", schemaOf(Math.floor(at / 2))),
      others: { type: "array", items: to("schemas", schemaOf(Math.floor(at / 3))) },
      ...Object.fromEntries(fields),
    },
  };
}

function operation(at: number, verb: string) {
  const name = schemaOf(at);
  const media = { schema: to("schemas", name), examples: { default: to("examples", name) } };
  return {
    summary: `${verb} thing ${at}`,
    description: `${verb} the thing ${at}. See "[Things](https://example.com/things#${at})."`,
    operationId: `things/${verb.toLowerCase()}-${at}`,
    tags: [`part ${at % 40}`],
    parameters: ["owner", "page", "per-page"].map((it) => to("parameters", it)),
    responses: {
      200: {
        description: "The thing",
        content: { "application/json": media },
        headers: { Link: to("headers", "link") },
      },
      404: to("responses", "not_found"),
    },
  };
}

/** Returns a row of an example. */
const row = (at: number) => ({
  id: at,
  url: `https://api.example.com/things/${at}`,
  is_admin: false,
  labels: ["bug", "good first thing"],
  owner: { login: "octocat", id: 1, type: "User" },
});

export function githubShaped(): string {
  const at = (length: number) => Array.from({ length }, (_, at) => at);
  const query = { in: "query", schema: { type: "integer", default: 30 } };
  const paths = at(OPERATIONS / 2).map((it): [string, object] => {
    const item = { get: operation(it, "Show"), delete: operation(it + 7, "Delete") };
    return [`/orgs/{owner}/things-${it}`, item];
  });
  const error = { type: "object", properties: { message: { type: "string" } } };
  const example = (rows: number) =>
    at(SCHEMAS).map((it) => [schemaOf(it), { value: at(rows).map(row) }] as const);
  const document = (rows: number) =>
    JSON.stringify({
      openapi: "3.0.3",
      info: { title: "Large", version: "1.1.4", description: "Things of *all* kinds." },
      tags: at(40).map((it) => ({ name: `part ${it}`, description: `Part ${it} of the things` })),
      paths: Object.fromEntries(paths),
      components: {
        schemas: {
          ...Object.fromEntries(at(SCHEMAS).map((it) => [schemaOf(it), schema(it)])),
          error,
        },
        examples: Object.fromEntries(example(rows)),
        parameters: {
          owner: { name: "owner", in: "path", required: true, schema: { type: "string" } },
          page: { name: "page", ...query },
          "per-page": { name: "per_page", ...query },
        },
        headers: { link: { schema: { type: "string" }, example: "<https://example.com>" } },
        responses: {
          not_found: {
            description: "Not found",
            content: { "application/json": { schema: to("schemas", "error") } },
          },
        },
      },
    });
  // All examples have the same number of rows, of about the same size.
  const [none, some] = [document(0).length, document(100).length];
  return document(Math.round((100 * (BYTES - none)) / (some - none)));
}
