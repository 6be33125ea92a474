// The lifecycle as a graph: the edges of the picture, and the steps from the present state.

import type { Configuration, State, Version } from "../../api/queries/versions";

/** Edges, and whether versions can go back along them; `crates/model/src/lifecycle.rs` has both. */
export const EDGES = [
  { from: "created", to: "prototyped", isTwoWay: true },
  { from: "created", to: "published", isTwoWay: true },
  { from: "prototyped", to: "published", isTwoWay: true },
  { from: "published", to: "blocked", isTwoWay: true },
  { from: "published", to: "deprecated", isTwoWay: true },
  { from: "blocked", to: "deprecated", isTwoWay: false },
  { from: "deprecated", to: "retired", isTwoWay: false },
] as const satisfies readonly { from: State; to: State; isTwoWay: boolean }[];

export type Edge = (typeof EDGES)[number];

/** Returns the edge between two states. */
export function edgeBetween(one: State, other: State): Edge | undefined {
  return EDGES.find(
    ({ from, to }) => (from === one && to === other) || (from === other && to === one),
  );
}

/** What a step means for subscriptions. */
export type Fate = "end" | "keep";

/** Returns what a step means for subscriptions; undefined if the version has none. */
export function fateOf(from: State, to: State): Fate | undefined {
  if (from === "created" || from === "prototyped") return undefined;
  return to === "published" || to === "blocked" || to === "deprecated" ? "keep" : "end";
}

/** Something that a version needs for a state. */
export type Need = "operation" | "upstream" | "plan" | "tokens";

/** The parts of a version that a step checks. */
export interface Parts {
  version: Pick<Version, "deployed_revision" | "plans">;
  draft: Pick<Configuration, "operations" | "soap" | "upstream">;
}

/** Returns everything that a version lacks for a state, as far as the page can see. */
export function needsOf(to: State, { version, draft }: Parts): Need[] {
  if (to !== "published" && to !== "prototyped") return [];
  const needs: Need[] = [];
  // What is deployed had both when it was deployed; a draft may have lost them since.
  if (!version.deployed_revision) {
    if (!isCallable(draft)) needs.push("operation");
    if (!draft.upstream) needs.push("upstream");
  }
  if (to === "published" && version.plans?.length === 0) needs.push("plan");
  return needs;
}

function isCallable({ operations, soap }: Parts["draft"]): boolean {
  if (soap?.rest) return soap.rest.resources.some(({ enabled }) => enabled !== false);
  return Boolean(soap) || operations?.length !== 0;
}

const NEEDS: Readonly<Record<string, Need>> = {
  "lifecycle.no_operation": "operation",
  "lifecycle.no_upstream": "upstream",
  "lifecycle.no_plan": "plan",
  "lifecycle.no_tokens": "tokens",
};

/** Returns the need that a fault of the API reports. */
export const needOfFault = ({ code }: { code: string }): Need | undefined => NEEDS[code];
