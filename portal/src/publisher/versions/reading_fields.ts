// Fields of the form for how a version's back end parses paths, and their mapping to a draft.

import type { Configuration, DraftPatch } from "../../api/queries/versions";

export interface ReadingFields {
  encodedSlash: NonNullable<Configuration["encoded_slash"]>;
  semicolon: NonNullable<Configuration["semicolon"]>;
  paths: NonNullable<Configuration["paths"]>;
  methodOverride: NonNullable<Configuration["method_override"]>;
}

/** Null for SOAP services: their back ends do not receive the path of a call. */
export function readReading(draft: Configuration): ReadingFields | null {
  if (draft.soap) return null;
  return {
    encodedSlash: draft.encoded_slash ?? "pass",
    semicolon: draft.semicolon ?? "check",
    paths: draft.paths ?? "exact",
    methodOverride: draft.method_override ?? "refuse",
  };
}

export function writeReading(fields: ReadingFields | null): DraftPatch {
  if (fields === null) return {};
  return {
    encoded_slash: fields.encodedSlash,
    semicolon: fields.semicolon,
    paths: fields.paths,
    method_override: fields.methodOverride,
  };
}
