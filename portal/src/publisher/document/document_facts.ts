// What a document states about itself: its format, title and version.

import { member } from "../../reference/document/narrow";

export interface DocumentFacts {
  /** Such as `OpenAPI 3.1.0`. */
  format: string | undefined;
  syntax: "JSON" | "YAML" | "XML";
  title: string | undefined;
  version: string | undefined;
}

export function factsOf(document: string): DocumentFacts {
  const start = document.trimStart()[0];
  if (start === "<") {
    return { format: "WSDL", syntax: "XML", title: undefined, version: undefined };
  }
  return start === "{" ? factsOfJson(document) : factsOfYaml(document);
}

function formatOf(openapi: string | undefined, swagger: string | undefined): string | undefined {
  if (openapi !== undefined) return `OpenAPI ${openapi}`;
  return swagger === undefined ? undefined : `Swagger ${swagger}`;
}

function factsOfJson(document: string): DocumentFacts {
  const whole = parsed(document);
  const info = member(whole, "info");
  return {
    format: formatOf(word(member(whole, "openapi")), word(member(whole, "swagger"))),
    syntax: "JSON",
    title: word(member(info, "title")),
    version: word(member(info, "version")),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const word = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/**
 * Reads only scalars of one line in block mappings, as people and tools write them: a parser of all
 * of YAML is larger than the page.
 */
function factsOfYaml(written: string): DocumentFacts {
  const document = `${written.replaceAll("\r\n", "\n")}\n`;
  const info = /^info:[^\S\n]*(?:#.*)?\n((?:[^\S\n].*\n|\n|#.*\n)*)/m.exec(document)?.[1];
  const indent = /^[^\S\n]+(?=[^\s#])/m.exec(info ?? "")?.[0] ?? "";
  return {
    format: formatOf(memberOf(document, "", "openapi"), memberOf(document, "", "swagger")),
    syntax: "YAML",
    title: memberOf(info ?? "", indent, "title"),
    version: memberOf(info ?? "", indent, "version"),
  };
}

/** Returns the scalar of a member in the lines with this indentation. */
function memberOf(lines: string, indent: string, name: string): string | undefined {
  const line = new RegExp(
    `^${indent}(["']?)${name}\\1:[^\\S\\n]+(.*)\\n?(${indent}[^\\S\\n])?`,
    "m",
  );
  const [, , written, continued] = line.exec(lines) ?? [];
  return written === undefined || continued !== undefined ? undefined : scalarOf(written.trim());
}

function scalarOf(written: string): string | undefined {
  const double = /^"(?:[^"\\]|\\.)*"/.exec(written)?.[0];
  if (double !== undefined) return word(parsed(double));
  const single = /^'((?:[^']|'')*)'/.exec(written)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  // Blocks, references and flow collections are not scalars of one line.
  return /^["'|>&*!{[]/.test(written)
    ? undefined
    : written.replace(/(^|\s)#.*$/, "").trim() || undefined;
}
