// Which operation a first call is of: one that changes nothing and needs little, from the OpenAPI document
// of the version. The document is foreign: whatever is not as it should be is skipped.

/** A call that can be made as it stands. */
export interface ExampleCall {
  method: string;
  /** Below the version's address, with values for its parameters. */
  target: string;
  /** JSON, where the operation wants a body. */
  body?: string;
}

const METHODS = ["get", "head", "post", "put", "patch", "delete"] as const;

export function exampleCall(document: unknown): ExampleCall {
  let best: { call: ExampleCall; cost: number } | undefined;
  for (const [path, item] of members(member(document, "paths"))) {
    for (const [index, method] of METHODS.entries()) {
      const operation = member(item, method);
      if (operation === undefined) continue;
      const parameters = [...required(document, item), ...required(document, operation)];
      // Methods that change something come last, then what needs many values.
      const cost = index * 100 + parameters.length;
      if (best !== undefined && best.cost <= cost) continue;
      best = { cost, call: callOf(document, { method, path, operation, parameters }) };
    }
  }
  return best?.call ?? { method: "GET", target: "/" };
}

interface Parameter {
  name: string;
  isInPath: boolean;
  value: string;
}

/** The parameters without which it cannot be called. Those in headers are left to the reader. */
function required(document: unknown, holder: unknown): Parameter[] {
  const listed = member(holder, "parameters");
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((given: unknown) => {
    const parameter = resolved(document, given);
    const name = member(parameter, "name");
    const where = member(parameter, "in");
    const isInPath = where === "path";
    if (typeof name !== "string" || !(isInPath || where === "query")) return [];
    if (!isInPath && member(parameter, "required") !== true) return [];
    return [{ name, isInPath, value: exampleValue(document, parameter) }];
  });
}

function exampleValue(document: unknown, parameter: unknown): string {
  const schema = resolved(document, member(parameter, "schema"));
  const [[, first] = []] = members(member(parameter, "examples"));
  const [listed] = asArray(member(schema, "examples"));
  const [choice] = asArray(member(schema, "enum"));
  const given = [
    member(parameter, "example"),
    member(first, "value"),
    member(schema, "example"),
    listed,
    member(schema, "default"),
    choice,
  ].find((value) => typeof value === "string" || typeof value === "number");
  return String(given ?? "1");
}

interface Chosen {
  method: string;
  path: string;
  operation: unknown;
  parameters: readonly Parameter[];
}

function callOf(document: unknown, { method, path, operation, parameters }: Chosen): ExampleCall {
  const inPath = path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const parameter = parameters.find((it) => it.isInPath && it.name === name);
    return encodeURIComponent(parameter?.value ?? "1");
  });
  const query = parameters
    .filter(({ isInPath }) => !isInPath)
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const target = query === "" ? inPath : `${inPath}?${query}`;
  const content = member(resolved(document, member(operation, "requestBody")), "content");
  const json = member(content, "application/json");
  const call = { method: method.toUpperCase(), target };
  if (json === undefined) return call;
  const [[, first] = []] = members(member(json, "examples"));
  const example = member(json, "example") ?? member(first, "value") ?? {};
  return { ...call, body: JSON.stringify(example) };
}

/** Follows one reference within the document; chains of them are left. */
function resolved(document: unknown, value: unknown): unknown {
  const reference = member(value, "$ref");
  if (typeof reference !== "string" || !reference.startsWith("#/")) return value;
  return reference
    .slice(2)
    .split("/")
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce(member, document);
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function members(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
