// The only way to the control plane. Pages call it through `queries/`.
//
// Every request carries the session's cookie and, where it changes something, its CSRF token. A
// session that has ended is not the page's matter: the request waits until somebody has signed in
// above the page, and is sent again. What is sent is noted for "Show as command".

import createClient from "openapi-fetch";
import { note } from "./commands";
import { Problem } from "./problem";
import type { paths } from "./schema";
import { currentSession, signedInAgain } from "./session";

const READING = new Set(["GET", "HEAD"]);
/** No session is needed for these, so none is lost. */
const SIGNING_IN = ["/api/v1/session", "/api/v1/portal"];

async function send(request: Request): Promise<Response> {
  const body = READING.has(request.method) ? undefined : await request.blob();
  note(request, body);
  for (;;) {
    const answer = await attempt(request, body);
    const path = new URL(request.url).pathname;
    const isLost = answer.status === 401 && currentSession() !== null && !SIGNING_IN.includes(path);
    if (!isLost) return answer;
    // Nobody reads it, and until then it would hold its connection.
    await answer.body?.cancel();
    await signedInAgain();
  }
}

async function attempt(request: Request, body: Blob | undefined): Promise<Response> {
  const headers = new Headers(request.headers);
  const csrf = currentSession()?.csrf;
  if (body !== undefined && csrf) headers.set("X-CSRF-Token", csrf);
  const init: RequestInit = { method: request.method, headers, signal: request.signal };
  if (body !== undefined && body.size > 0) init.body = body;
  try {
    return await fetch(request.url, init);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw Problem.unreachable();
  }
}

export const client = createClient<paths>({ fetch: send });

export interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What an answer holds; throws its {@link Problem} where it is none of success. */
export async function content<T>(answered: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await answered;
  if (!response.ok) throw Problem.of(response, error);
  return data as T;
}

/** Like {@link content}, with the entity tag that `If-Match` repeats. */
export async function tagged<T>(
  answered: Promise<Answered<T>>,
): Promise<{ value: T; etag: string }> {
  const { data, error, response } = await answered;
  if (!response.ok) throw Problem.of(response, error);
  return { value: data as T, etag: response.headers.get("etag") ?? "" };
}
