// What proves who calls when somebody tries an API: made when it is first needed, kept in this
// module alone, and made anew when it ends. It is never shown, stored, or put into an address.

import { type Environment, type Trial, createTrial } from "../api/queries/try_it";
import { currentSession } from "../api/session";
import type { Header } from "./call_request";

/** In whose name calls are made, and which upstream they reach. */
export interface Trying {
  version: string;
  application: string;
  environment: Environment;
}

interface Held {
  headers: readonly Header[];
  endsMs: number;
}

/** So long before its end it is not used any more: the call takes a while, and clocks differ. */
const SPARE_MS = 30_000;
const held = new Map<string, Held>();

/** Another person in the same browser has credentials of their own. */
const nameOf = ({ version, application, environment }: Trying) =>
  [currentSession()?.user, version, application, environment].join(" ");

/** The headers that prove it. */
export async function proof(trying: Trying, nowMs = Date.now()): Promise<readonly Header[]> {
  const name = nameOf(trying);
  const known = held.get(name);
  if (known !== undefined && known.endsMs - SPARE_MS > nowMs) return known.headers;
  held.delete(name);
  const trial = await createTrial(trying.version, trying.application, trying.environment);
  const headers = headersOf(trial);
  held.set(name, { headers, endsMs: Date.parse(trial.expires_at ?? "") || nowMs });
  return headers;
}

/** The gateway did not take it: the next call gets another one. */
export function forget(trying: Trying): void {
  held.delete(nameOf(trying));
}

export function headersOf({ api_key, token, basic }: Trial): Header[] {
  const headers: Header[] = [];
  if (api_key) headers.push([api_key.header, api_key.key]);
  if (token) headers.push(["authorization", `Bearer ${token}`]);
  // Made by Tollgate, so that all of it is ASCII.
  if (basic)
    headers.push(["authorization", `Basic ${btoa(`${basic.user_name}:${basic.password}`)}`]);
  return headers;
}
