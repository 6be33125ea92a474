// Operations of the HTTP API that no page uses yet, each with its reason. A new operation needs a
// page or a line here; the line of an operation that has a page is removed.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "../src");
const DOCUMENT = join(import.meta.dirname, "../../api/control.openapi.json");
const METHODS = ["get", "put", "post", "patch", "delete"];

const LISTED = "the list shows all its fields";
const COMMAND = "the second half of the portals; a page shows the command";
const MACHINES = "for programs and probes";
const DOWNLOAD = "the reference links to it, and loads operations one by one";

const WITHOUT_PAGE: Record<string, string> = {
  "GET /api/v1/access-tokens/{token}": LISTED,
  "GET /api/v1/basic-users/{basic_user}": LISTED,
  "GET /api/v1/clients/{client}": LISTED,
  "GET /api/v1/keys/{key}": LISTED,
  "GET /api/v1/subscriptions/{subscription}": LISTED,
  "GET /api/v1/users/{user}": LISTED,
  "GET /api/v1/apis": "own versions are listed with their APIs: GET /api/v1/versions",
  "POST /api/v1/apis": COMMAND,
  "GET /api/v1/versions/{version}/deployment": "the version includes the deployed revision",
  "GET /api/v1/versions/{version}/plans": "the version includes its plans",
  "PUT /api/v1/versions/{version}/draft": "pages change the parts that they show, by PATCH",
  "GET /api/v1/apis/{api}/versions": "listed with their pending work: GET /api/v1/versions",
  "GET /api/v1/catalogue/{version}/document": DOWNLOAD,
  "GET /api/v1/openapi.json": MACHINES,
  "GET /api/v1/usage/health": "every answer of GET /api/v1/usage has it for its range",
  "GET /healthz": MACHINES,
  "GET /readyz": MACHINES,
};

/** Returns all operations of the document, such as `GET /api/v1/apis`. */
function described(): string[] {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, "utf8")) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => method in operations).map(
      (method) => `${method.toUpperCase()} ${path}`,
    ),
  );
}

/** Returns the operations called in the sources, such as `client.GET("/api/v1/apis"`. */
function called(): Set<string> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => /\.tsx?$/.test(name) && !/\.test\.|schema\.d/.test(name));
  const calls = sources.flatMap((name) => {
    const text = readFileSync(join(SOURCES, name), "utf8");
    return [...text.matchAll(/\.(GET|PUT|POST|PATCH|DELETE)\(\s*"([^"]+)"/g)];
  });
  return new Set(calls.map(([, method, path]) => `${method} ${path}`));
}

test("each operation has a page or a reason", () => {
  const pages = called();
  const missing = described().filter((it) => !pages.has(it) && !(it in WITHOUT_PAGE));
  expect(missing).toEqual([]);
});

test("each reason is about an operation without a page", () => {
  const all = described();
  const pages = called();
  const stale = Object.keys(WITHOUT_PAGE).filter((it) => !all.includes(it) || pages.has(it));
  expect(stale).toEqual([]);
});
