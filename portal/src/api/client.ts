// The only way to the control plane. Pages call it through `queries/`.
//
// Every request carries the session's cookie and, if it changes something, its CSRF token. Pages do
// not handle an expired session: the request waits until the user has signed in above the page, and
// is then sent again. Requests are recorded for "Show as command".

import createClient from "openapi-fetch";
import { note } from "./commands";
import { Problem } from "./problem";
import type { paths } from "./schema";
import { currentSession, signedInAgain } from "./session";

const READING = new Set(["GET", "HEAD"]);
/** Paths that need no session, so a 401 does not mean that the session is lost. */
const SIGNING_IN = ["/api/v1/session", "/api/v1/portal"];

async function send(request: Request): Promise<Response> {
  const body = READING.has(request.method) ? undefined : await request.blob();
  note(request, body);
  for (;;) {
    const answer = await attempt(request, body);
    const path = new URL(request.url).pathname;
    const isLost = answer.status === 401 && currentSession() !== null && !SIGNING_IN.includes(path);
    if (!isLost) return answer;
    // The body is not read; cancelling it releases the connection.
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

/** Returns why a stream of events is refused; `undefined` if it is not any more. */
export async function problemOfStream(address: string): Promise<Problem | undefined> {
  const ending = new AbortController();
  try {
    const headers = { accept: "text/event-stream" };
    const answer = await fetch(address, { headers, signal: ending.signal });
    return answer.ok ? undefined : Problem.of(answer, await answer.json());
  } catch {
    return Problem.unreachable();
  } finally {
    ending.abort();
  }
}

export const client = createClient<paths>({ fetch: send });

export interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the content of a response; throws its {@link Problem} if it is not a success. */
export async function content<T>(answered: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await answered;
  if (!response.ok) throw Problem.of(response, error);
  return data as T;
}

/** Like {@link content}, with the entity tag for `If-Match`. */
export async function tagged<T>(
  answered: Promise<Answered<T>>,
): Promise<{ value: T; etag: string }> {
  const { data, error, response } = await answered;
  if (!response.ok) throw Problem.of(response, error);
  return { value: data as T, etag: response.headers.get("etag") ?? "" };
}
