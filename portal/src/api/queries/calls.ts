// Single calls.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";

export type ExplainedCall = components["schemas"]["ExplainedCall"];
export type CallStep = components["schemas"]["CallStep"];

/** Query for a call by its request id, with what each step of the gateway decided. */
export function explainedCall(id: string) {
  return queryOptions({
    queryKey: ["calls", id],
    queryFn: () => content(client.GET("/api/v1/usage/calls/{id}", { params: { path: { id } } })),
  });
}
