// Selects the credentials in code samples: those that the version requires, as variables.

import type { Security } from "../../api/queries/catalogue";
import type { Draft } from "../use_draft";
import { curl } from "./curl";
import { type Placeholder, type Snippet, snippetWith } from "./snippet";

/** The key header of versions that do not set one. */
const KEY_HEADER = "apikey";

/** Returns the first of several alternatives, as try-it does. */
export function placeholdersOf({ api_key, oauth2, basic, require }: Security): Placeholder[] {
  const all: Placeholder[] = [];
  if (api_key) {
    const header = api_key.header ?? KEY_HEADER;
    all.push({ kind: "header", header, prefix: "", variable: "KEY" });
  }
  if (oauth2) {
    all.push({ kind: "header", header: "Authorization", prefix: "Bearer ", variable: "TOKEN" });
  }
  if (basic) all.push({ kind: "basic" });
  return require === "all" ? all : all.slice(0, 1);
}

/** Returns the current call with placeholders for its credentials. */
export function snippetOf(security: Security, { filled, isAnonymous }: Draft): Snippet {
  return snippetWith(filled.request, isAnonymous ? [] : placeholdersOf(security));
}

export function curlOf(security: Security, draft: Draft): string {
  return curl(snippetOf(security, draft));
}
