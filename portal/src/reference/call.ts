// The only way to the gateway: sends one call, bounded in time and bytes, and returns its result.
//
// A call carries only what its caller puts into it and nothing of the browser: no cookies, no
// referrer. Redirects are not followed, because the credential would be sent along.

import type { CallRequest, Header } from "./call_request";
import { contentOf } from "./content";

/** The result of a call. */
export type Called = Answered | Unanswered;

export interface Answered {
  isAnswered: true;
  status: number;
  statusText: string;
  /** All headers that the browser may read, by name. */
  headers: readonly Header[];
  body: Blob;
  /** How the body ended. */
  end: BodyEnd;
  /** Milliseconds until the response head, and until the end of the response. */
  headMs: number;
  totalMs: number;
}

/** Complete; stopped at our limit; cancelled by the user; or broken off by the peer. */
export type BodyEnd = "whole" | "bound" | "cancelled" | "broken";

export interface Unanswered {
  isAnswered: false;
  cause: NoAnswer;
  totalMs: number;
}

/** Why a page gets no response. Browsers do not report it; this is the most likely cause. */
export type NoAnswer =
  /** An https page may not call http. */
  | "mixed_content"
  /** A public page calls an address of a private network, or of the local machine. */
  | "private_network"
  /** The gateway responds, but does not allow pages of this origin. */
  | "origin"
  | "unreachable"
  /** The response is a redirect, which pages cannot read. */
  | "redirect"
  /** The browser refuses to send the method, a header or the address. */
  | "unsendable"
  | "cancelled"
  | "timeout";

/** Maximum number of body bytes read; longer or endless bodies are cut here. */
export const BODY_BYTES_MAX = 32 * 1024 * 1024;
/** Timeout for the response head. */
const HEAD_MS_MAX = 60_000;
/** Timeout for the whole response, which also ends endless bodies. */
const TOTAL_MS_MAX = 180_000;
const PROBE_MS_MAX = 5_000;
/** Browsers send no body with these (Fetch, section 5.4). */
export const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** Methods that browsers and Node.js refuse (Fetch, section 2.2.1). */
export const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

interface CallOptions {
  /** Ends the call; the part of the body received by then is kept. */
  signal?: AbortSignal;
  /** Called with the number of body bytes received. */
  onBytes?: (bytes: number) => void;
}

export async function call(request: CallRequest, options: CallOptions = {}): Promise<Called> {
  const began = performance.now();
  const ending = new Ending(options.signal);
  const unanswered = (cause: NoAnswer): Unanswered => ({
    isAnswered: false,
    cause,
    totalMs: performance.now() - began,
  });
  const prepared = prepare(request, ending.signal);
  if (prepared === null) return unanswered("unsendable");
  try {
    ending.after(HEAD_MS_MAX);
    const answer = await fetch(prepared);
    if (answer.type === "opaqueredirect") return unanswered("redirect");
    const headMs = performance.now() - began;
    ending.after(TOTAL_MS_MAX);
    const { body, end } = await readBody(answer, ending, options.onBytes);
    const { status, statusText } = answer;
    const totalMs = performance.now() - began;
    const headers = [...answer.headers];
    return { isAnswered: true, status, statusText, headers, body, end, headMs, totalMs };
  } catch {
    if (ending.cause !== null) return unanswered(ending.cause);
    const likely = unanswered("unreachable");
    return { ...likely, cause: await likelyCause(request.url) };
  } finally {
    ending.done();
  }
}

/**
 * Creates the request; null if the browser cannot send it: an invalid header name, a method that
 * pages may not use.
 */
function prepare({ method, url, headers, body }: CallRequest, signal: AbortSignal): Request | null {
  try {
    const content = body === undefined || BODILESS.has(method) ? undefined : contentOf(body);
    const all: Header[] = content ? [...headers, ["content-type", content.type]] : [...headers];
    const init: RequestInit = {
      method,
      headers: all.map(([name, value]) => [name, value]),
      signal,
      credentials: "omit",
      cache: "no-store",
      redirect: "manual",
      referrerPolicy: "no-referrer",
    };
    if (content) init.body = new Blob([...content.pieces]);
    return new Request(url, init);
  } catch {
    return null;
  }
}

/** Ends a call early: by the user or by a timeout. */
class Ending {
  cause: "cancelled" | "timeout" | null = null;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#cancel();
    outer?.addEventListener("abort", this.#cancel);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sets the timeout of the call, which replaces the previous one. */
  after(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end("timeout"), ms);
  }

  done(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#cancel);
  }

  readonly #cancel = (): void => this.#end("cancelled");

  #end(cause: "cancelled" | "timeout"): void {
    this.cause ??= cause;
    this.#controller.abort();
  }
}

async function readBody(
  answer: Response,
  ending: Ending,
  onBytes?: (bytes: number) => void,
): Promise<{ body: Blob; end: BodyEnd }> {
  const pieces: BlobPart[] = [];
  const type = answer.headers.get("content-type") ?? "";
  const kept = (end: BodyEnd) => ({ body: new Blob(pieces, { type }), end });
  const reader = answer.body?.getReader();
  if (reader === undefined) return kept("whole");
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return kept("whole");
      const room = BODY_BYTES_MAX - bytes;
      pieces.push(value.length > room ? value.subarray(0, room) : value);
      bytes = Math.min(bytes + value.length, BODY_BYTES_MAX);
      onBytes?.(bytes);
      if (value.length <= room) continue;
      await reader.cancel();
      return kept("bound");
    }
  } catch {
    if (ending.cause === null) return kept("broken");
    return kept(ending.cause === "cancelled" ? "cancelled" : "bound");
  }
}

async function likelyCause(target: string): Promise<NoAnswer> {
  const page = new URL(location.href);
  const gateway = new URL(target);
  if (isMixed(page, gateway)) return "mixed_content";
  if (await answersAtAll(gateway.origin)) return "origin";
  return isPrivate(gateway.hostname) && !isPrivate(page.hostname)
    ? "private_network"
    : "unreachable";
}

/** Checks for mixed content: an https page may call http only on the local machine. */
export function isMixed(page: URL, gateway: URL): boolean {
  return (
    page.protocol === "https:" && gateway.protocol === "http:" && !isLoopback(gateway.hostname)
  );
}

function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(host);
}

/** Checks by its name whether a host is the local machine or in a private network. */
export function isPrivate(host: string): boolean {
  const range = /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|\[f[cde][0-9a-f]{2}:)/;
  return isLoopback(host) || range.test(host) || host.endsWith(".local");
}

/** Checks whether anything responds there, even if the page may not read it. */
async function answersAtAll(origin: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS_MAX);
    await fetch(origin, { mode: "no-cors", credentials: "omit", cache: "no-store", signal });
    return true;
  } catch {
    return false;
  }
}

interface Gateways {
  http?: string | null | undefined;
  https?: string | null | undefined;
}

/** Returns the gateway address with the page's own scheme, else the other one. */
export function gatewayOf(gateways: Gateways, protocol = location.protocol): string | undefined {
  const { http, https } = gateways;
  return (protocol === "https:" ? (https ?? http) : (http ?? https)) ?? undefined;
}
