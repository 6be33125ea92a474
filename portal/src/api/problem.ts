// Problem details of the control plane (RFC 9457), as an error that pages show.

import type { components } from "./schema";

export type Fault = components["schemas"]["Fault"];
type Body = components["schemas"]["Problem"];

/** A response that is not a success; `status` is 0 if there was no response. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly faults: readonly Fault[];
  /** Seconds after which to retry, from `Retry-After`. */
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

  /** Creates the problem of a response, given its parsed body. */
  static of(answer: Response, body: unknown): Problem {
    const retryAfter = Number(answer.headers.get("retry-after"));
    // A proxy on the way may respond without a problem document: then only the status is known.
    const problem = isBody(body) ? body : {};
    return new Problem(answer.status, problem, retryAfter > 0 ? retryAfter : undefined);
  }

  /** Creates the problem of a request without a response. */
  static unreachable(): Problem {
    const detail = "The control plane does not respond. Your input is kept; try again.";
    return new Problem(0, { code: "answer.none", detail });
  }

  /** Creates a problem that the portal itself reports. */
  static because(code: string, detail: string): Problem {
    return new Problem(0, { code, detail });
  }

  /** Creates a problem of a field that cannot be sent as entered. */
  static atField(field: string, detail: string): Problem {
    const code = "field.invalid";
    return new Problem(0, { code, detail, errors: [{ field, code, detail }] });
  }

  /** Converts any thrown value to a problem. */
  static from(thrown: unknown): Problem {
    if (thrown instanceof Problem) return thrown;
    const detail = thrown instanceof Error ? thrown.message : String(thrown);
    return new Problem(0, { code: "portal.internal", detail });
  }

  /**
   * Returns the same problem with its faults at other fields, each fault once, without those of
   * fields that no longer exist.
   */
  at(rename: (field: string) => string | undefined): Problem {
    const errors = new Map<string, Fault>();
    for (const fault of this.faults) {
      const field = rename(fault.field);
      if (field === undefined) continue;
      errors.set(`${field} ${fault.detail}`, { ...fault, field });
    }
    const { code, message: detail, requestId: request_id } = this;
    const body = { code, detail, errors: [...errors.values()] };
    const named = request_id === undefined ? body : { ...body, request_id };
    return new Problem(this.status, named, this.retryAfterS);
  }

  /** Whether the change is saved but a gateway has not applied it yet. */
  get isBehind(): boolean {
    return this.code === "feed.behind";
  }

  /** Whether the same request may succeed on a retry: refusals are permanent. */
  get mayPass(): boolean {
    return this.status < 400 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  /** Returns the fault of a field, or of a value inside it, by the field's JSON pointer. */
  faultAt(field: string): string | undefined {
    return this.faultsAt(field)[0]?.detail;
  }

  /** Returns all faults of a field and of values inside it; all for the empty pointer. */
  faultsAt(field: string): readonly Fault[] {
    return this.faults.filter((it) => it.field === field || it.field.startsWith(`${field}/`));
  }
}

/** Checks that the body is an object; its members are trusted to match the API's document. */
function isBody(body: unknown): body is Partial<Body> {
  return typeof body === "object" && body !== null;
}
