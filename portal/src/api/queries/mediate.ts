// The dry run of a version's policies.

import type { components } from "../schema";
import { type Answered, client, content } from "../client";

type Policies = components["schemas"]["Policies"];

export interface MessageField {
  name: string;
  value: string;
}

/** A message that the dry run is given. */
export interface DryRequest {
  of?: "draft" | "deployed";
  /** Tried instead of the stored ones. */
  policies?: Policies;
  request: { method: string; path: string; headers: MessageField[]; body?: string };
  response?: { status: number; headers: MessageField[]; body?: string };
  /** The code of a refusal: the steps of refusals run instead. */
  refusal?: string;
  caller?: { plan?: string };
}

/** A request or response on its way. */
export interface Message {
  method?: string | null;
  path?: string | null;
  status?: number | null;
  headers: MessageField[];
  /** Null if it is not UTF-8. */
  body?: string | null;
  body_bytes: number;
}

export interface DryStep {
  pointer: string;
  policy: string;
  ran: boolean;
  /** Why it did not run. */
  reason?: string | null;
  /** The message, if the step changed it. */
  after?: Message | null;
}

export interface DryResult {
  operation?: string | null;
  request: { steps: DryStep[]; sent?: Message | null };
  response?: { steps: DryStep[] } | null;
  error?: { steps: DryStep[] } | null;
  answer?: Message | null;
  answered_by: "upstream" | "policy" | "mock" | "gateway";
  refused?: { code: string; status: number; detail: string; pointer?: string | null } | null;
}

/** The client with the operation, which the generated types do not have yet. */
interface Mediating {
  POST: (
    path: "/api/v1/versions/{version}/mediate",
    init: { params: { path: { version: string } }; body: DryRequest },
  ) => Promise<Answered<DryResult>>;
}

/** Runs the policies of a version on a message; nothing is sent or stored. */
export function mediate(version: string, body: DryRequest): Promise<DryResult> {
  const params = { path: { version } };
  const mediating = client as unknown as Mediating;
  return content(mediating.POST("/api/v1/versions/{version}/mediate", { params, body }));
}
