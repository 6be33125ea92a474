// How the control plane says no (RFC 9457), as an error that pages show.

import type { components } from "./schema";

export type Fault = components["schemas"]["Fault"];
type Body = components["schemas"]["Problem"];

/** An answer that is not a success, or no answer at all: then `status` is 0. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly faults: readonly Fault[];
  /** After how many seconds it may be tried again, where the answer says so. */
  readonly retryAfterS: number | undefined;

  private constructor(status: number, body: Partial<Body>, retryAfterS?: number) {
    super(body.detail ?? body.title ?? `The answer has the status ${status}.`);
    this.name = "Problem";
    this.status = status;
    this.code = body.code ?? "answer.unknown";
    this.requestId = body.request_id;
    this.faults = body.errors ?? [];
    this.retryAfterS = retryAfterS;
  }

  static async of(answer: Response): Promise<Problem> {
    const retryAfter = Number(answer.headers.get("retry-after"));
    let body: unknown;
    try {
      body = await answer.json();
    } catch {
      // Not from the control plane: a proxy on the way. The status tells what can be told.
    }
    const told = isBody(body) ? body : {};
    return new Problem(answer.status, told, retryAfter > 0 ? retryAfter : undefined);
  }

  /** No answer came. */
  static unreachable(): Problem {
    const detail = "The control plane does not answer. What you typed is kept; try again.";
    return new Problem(0, { code: "answer.none", detail });
  }

  /** Anything that was thrown, as a problem. */
  static from(thrown: unknown): Problem {
    if (thrown instanceof Problem) return thrown;
    const detail = thrown instanceof Error ? thrown.message : String(thrown);
    return new Problem(0, { code: "portal.internal", detail });
  }

  /** Saved, but a gateway has not applied it yet. */
  get isBehind(): boolean {
    return this.code === "feed.behind";
  }

  /** What is wrong with a field, by the JSON pointer of the field. */
  faultAt(field: string): string | undefined {
    return this.faults.find((fault) => fault.field === field)?.detail;
  }
}

/** Whether what came is an object, whose members are what the API's document says of them. */
function isBody(body: unknown): body is Partial<Body> {
  return typeof body === "object" && body !== null;
}
