// The only way to the gateway: one call, bounded in time and in bytes, and what came of it.
//
// A call carries what its caller puts into it and nothing of the browser's: no cookies, no
// referrer. Redirects are not followed, since the credential would go along.

import type { CallRequest, Header } from "./call_request";
import { contentOf } from "./content";

/** What came of a call. */
export type Called = Answered | Unanswered;

export interface Answered {
  isAnswered: true;
  status: number;
  statusText: string;
  /** All that the browser may read, by name. */
  headers: readonly Header[];
  body: Blob;
  /** How the body ended. */
  end: BodyEnd;
  /** Milliseconds until the answer's head, and until its end. */
  headMs: number;
  totalMs: number;
}

/** Whole; at our bound; when somebody pressed Cancel; or broken off by the other side. */
export type BodyEnd = "whole" | "bound" | "cancelled" | "broken";

export interface Unanswered {
  isAnswered: false;
  cause: NoAnswer;
  totalMs: number;
}

/** Why a page sees no answer. Browsers do not say; this is what the circumstances make likely. */
export type NoAnswer =
  /** A page of https may not call http. */
  | "mixed_content"
  /** A public page calls an address of a private network, or of this machine. */
  | "private_network"
  /** The gateway is there, and does not admit pages of this origin. */
  | "origin"
  | "unreachable"
  /** The answer is a redirect, which pages cannot see. */
  | "redirect"
  /** The browser refuses to send it: its method, a header or the address. */
  | "unsendable"
  | "cancelled"
  | "timeout";

/** Bytes of a body that are read; what is longer, or has no end, stops here. */
export const BODY_BYTES_MAX = 32 * 1024 * 1024;
/** Until the head of an answer. */
const HEAD_MS_MAX = 60_000;
/** Until the end of its body: one without an end is not waited for for ever. */
const TOTAL_MS_MAX = 180_000;
const PROBE_MS_MAX = 5_000;
/** Browsers send no body with these (Fetch, section 5.4). */
export const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** Methods that browsers and Node.js refuse (Fetch, section 2.2.1). */
export const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

interface CallOptions {
  /** Ends the call; what has come of the body by then is kept. */
  signal?: AbortSignal;
  /** Told how many bytes of the body have come. */
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
    const { body, end } = await read(answer, ending, options.onBytes);
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
 * Null where the browser cannot send it: a name that is no header's, a method that pages may not
 * use.
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

/** What ends a call before its time: somebody's Cancel, or ours. */
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

  /** Ends the call as too slow; replaces what was said before. */
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

async function read(
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

/** A page of https may call http at this machine alone. */
export function isMixed(page: URL, gateway: URL): boolean {
  return (
    page.protocol === "https:" && gateway.protocol === "http:" && !isLoopback(gateway.hostname)
  );
}

function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(host);
}

/** Whether a host is this machine or in a private network, as far as its name says. */
export function isPrivate(host: string): boolean {
  const range = /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|\[f[cde][0-9a-f]{2}:)/;
  return isLoopback(host) || range.test(host) || host.endsWith(".local");
}

/** Whether something answers there, be it nothing that a page may read. */
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

/** The gateway for a page: of the page's own scheme, else the other. */
export function gatewayOf(gateways: Gateways, protocol = location.protocol): string | undefined {
  const { http, https } = gateways;
  return (protocol === "https:" ? (https ?? http) : (http ?? https)) ?? undefined;
}
