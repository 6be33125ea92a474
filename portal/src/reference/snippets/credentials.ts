// Which credentials the code of a call carries: those that the version asks for, as variables.

import type { Security } from "../../api/queries/catalogue";
import type { Draft } from "../use_draft";
import { curl } from "./curl";
import { type Placeholder, type Snippet, snippetWith } from "./snippet";

/** The header of keys where the version names none. */
const KEY_HEADER = "apikey";

/** Of several alternatives the first, as for trying. */
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

/** The present call, without what proves who calls. */
export function snippetOf(security: Security, { filled, isAnonymous }: Draft): Snippet {
  return snippetWith(filled.request, isAnonymous ? [] : placeholdersOf(security));
}

export function curlOf(security: Security, draft: Draft): string {
  return curl(snippetOf(security, draft));
}
