// How a version's back end reads requests: the fields of the form, and what they mean in a draft.

import type { Configuration, DraftPatch } from "../../api/queries/versions";

export interface ReadingFields {
  encodedSlash: NonNullable<Configuration["encoded_slash"]>;
  semicolon: NonNullable<Configuration["semicolon"]>;
  paths: NonNullable<Configuration["paths"]>;
  methodOverride: NonNullable<Configuration["method_override"]>;
}

/** Null for SOAP services, whose back ends do not get the path of a call. */
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
