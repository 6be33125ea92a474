// Single calls: lists of the latest ones, one by its request id, and calls as they happen.

import { queryOptions } from "@tanstack/react-query";
import type { components, operations } from "../schema";
import { client, content, problemOfStream } from "../client";

export type UsageCall = components["schemas"]["UsageCall"];
export type ExplainedCall = components["schemas"]["ExplainedCall"];
export type CallStep = components["schemas"]["CallStep"];
type WatchedCalls = components["schemas"]["WatchedCalls"];
type Query = NonNullable<operations["usage_list_calls"]["parameters"]["query"]>;

/** Selects calls. */
export type CallsFilter = Pick<Query, "api" | "version" | "application" | "refused" | "as">;

/** Query for the latest calls, the newest first. */
export function latestCalls(filter: CallsFilter, limit: number) {
  return queryOptions({
    queryKey: ["calls", filter, limit],
    queryFn: () =>
      content(client.GET("/api/v1/usage/calls", { params: { query: { ...filter, limit } } })),
  });
}

/** Query for a call by its request id, with what each step of the gateway decided. */
export function explainedCall(id: string) {
  return queryOptions({
    queryKey: ["calls", id],
    queryFn: () => content(client.GET("/api/v1/usage/calls/{id}", { params: { path: { id } } })),
  });
}

interface Watching {
  /** Gets calls in the order in which they ended, and how many besides these there were. */
  onCalls: (calls: WatchedCalls) => void;
  /** Gets why the stream ended. */
  onEnd: (reason: string) => void;
}

/** Watches calls as they happen; returns a function that ends it. */
export function watchCalls(filter: CallsFilter, { onCalls, onEnd }: Watching): () => void {
  const parameters = new URLSearchParams(
    Object.entries(filter).map(([name, value]) => [name, String(value)]),
  );
  const address = `/api/v1/usage/calls?${parameters}`;
  const source = new EventSource(address);
  const end = (reason: string) => {
    source.close();
    onEnd(reason);
  };
  source.addEventListener("calls", ({ data }: MessageEvent<string>) => {
    onCalls(JSON.parse(data) as WatchedCalls);
  });
  source.addEventListener("end", ({ data }: MessageEvent<string>) => {
    end((JSON.parse(data) as { detail: string }).detail);
  });
  source.addEventListener("error", () => {
    // The browser connects again by itself, unless it was refused.
    if (source.readyState !== EventSource.CLOSED) return;
    void problemOfStream(address).then((problem) => end(problem?.message ?? ""));
  });
  return () => source.close();
}
