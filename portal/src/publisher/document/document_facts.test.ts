import { expect, test } from "vitest";
import { factsOf } from "./document_facts";

test("of JSON", () => {
  const document = { openapi: "3.0.3", info: { title: "Pets", version: "1.2" }, paths: {} };
  expect(factsOf(JSON.stringify(document))).toEqual({
    format: "OpenAPI 3.0.3",
    syntax: "JSON",
    title: "Pets",
    version: "1.2",
  });
});

test.each([
  ["plain", "openapi: 3.1.0\ninfo:\n  title: Pets # ours\n  version: 1.2\n", "Pets", "1.2"],
  [
    "quoted",
    `openapi: '3.1.0'\ninfo:\n    version: "1.2"\n    title: 'Ann''s #1'`,
    "Ann's #1",
    "1.2",
  ],
  [
    "with Windows line ends",
    "openapi: 3.1.0\r\ninfo:\r\n  title: Pets\r\n  version: '1.2'\r\n",
    "Pets",
    "1.2",
  ],
  [
    "members of members are others",
    "openapi: 3.1.0\n# about\ninfo:\n\n  # it\n  license:\n    title: No\n  title: Pets\n  version: '1.2'\n",
    "Pets",
    "1.2",
  ],
  [
    "of several lines are left out",
    "openapi: 3.1.0\ninfo:\n  title: >\n    Pets\n  version: 1.2\n",
    undefined,
    "1.2",
  ],
  [
    "continued ones too",
    "openapi: 3.1.0\ninfo:\n  title: Pets\n    and more\n  version: 1.2\n",
    undefined,
    "1.2",
  ],
  ["without info", "paths: {}\nopenapi: 3.1.0\n", undefined, undefined],
])("of YAML, scalars %s", (_, document, title, version) => {
  expect(factsOf(document)).toEqual({ format: "OpenAPI 3.1.0", syntax: "YAML", title, version });
});

test("of Swagger, WSDL and what is neither", () => {
  expect(factsOf('swagger: "2.0"\ninfo: {}\n').format).toBe("Swagger 2.0");
  expect(factsOf('<?xml version="1.0"?><definitions/>').format).toBe("WSDL");
  expect(factsOf("{").format).toBeUndefined();
});
