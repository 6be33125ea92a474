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
    super(body.detail ?? body.title ?? `The response has status ${status}.`);
    this.name = "Problem";
    this.status = status;
    this.code = body.code ?? "answer.unknown";
    this.requestId = body.request_id;
    this.faults = body.errors ?? [];
    this.retryAfterS = retryAfterS;
  }

  /** That of an answer, whose body was read already. */
  static of(answer: Response, body: unknown): Problem {
    const retryAfter = Number(answer.headers.get("retry-after"));
    // A proxy on the way may answer without a problem document: then only the status is known.
    const told = isBody(body) ? body : {};
    return new Problem(answer.status, told, retryAfter > 0 ? retryAfter : undefined);
  }

  /** No answer came. */
  static unreachable(): Problem {
    const detail = "The control plane does not respond. Your input is kept; try again.";
    return new Problem(0, { code: "answer.none", detail });
  }

  /** Something that the portal itself has to say. */
  static because(code: string, detail: string): Problem {
    return new Problem(0, { code, detail });
  }

  /** A field cannot be sent as it is. */
  static atField(field: string, detail: string): Problem {
    const code = "field.invalid";
    return new Problem(0, { code, detail, errors: [{ field, code, detail }] });
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

  /** Whether the same question may be answered the next time: what is refused stays refused. */
  get mayPass(): boolean {
    return this.status < 400 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  /** What is wrong with a field or with something in it, by the JSON pointer of the field. */
  faultAt(field: string): string | undefined {
    const isIn = (fault: Fault) => fault.field === field || fault.field.startsWith(`${field}/`);
    return this.faults.find(isIn)?.detail;
  }
}

/** Whether what came is an object, whose members are what the API's document says of them. */
function isBody(body: unknown): body is Partial<Body> {
  return typeof body === "object" && body !== null;
}
