// The fields of CORS, and their mapping to the API's form.

import type { components } from "../../api/schema";
import { linesOf } from "./step_fields";

export type Cors = components["schemas"]["Cors"];
export type CorsMethod = components["schemas"]["Method"];

export interface CorsFields {
  /** One per line, as the other lists. */
  origins: string;
  isForPortal: boolean;
  /** Null for the methods of the operations. */
  methods: readonly CorsMethod[] | null;
  /** Null for the fields of the document and of credentials. */
  headers: string | null;
  expose: string;
  hasCredentials: boolean;
  maxAge: string;
}

const MAX_AGE_S = 600;

export const NEW_CORS: CorsFields = readCors({});

export function readCors(cors: Partial<Cors>): CorsFields {
  return {
    origins: (cors.origins ?? []).join("\n"),
    isForPortal: cors.portal ?? true,
    methods: cors.methods ?? null,
    headers: cors.headers?.join("\n") ?? null,
    expose: (cors.expose ?? []).join("\n"),
    hasCredentials: cors.credentials ?? false,
    maxAge: String(cors.max_age_s ?? MAX_AGE_S),
  };
}

export function writeCors(fields: CorsFields): Cors {
  return {
    origins: linesOf(fields.origins),
    portal: fields.isForPortal,
    methods: fields.methods && [...fields.methods],
    headers: fields.headers === null ? null : linesOf(fields.headers),
    expose: linesOf(fields.expose),
    credentials: fields.hasCredentials,
    max_age_s: fields.maxAge === "" ? MAX_AGE_S : Number(fields.maxAge),
  };
}
