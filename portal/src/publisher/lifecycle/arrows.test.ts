import { expect, test } from "vitest";
import { EDGES, edgeBetween, fateOf, needOfFault, needsOf } from "./arrows";

test("an edge is found in both directions", () => {
  const edge = EDGES.find(({ from, to }) => from === "published" && to === "blocked");
  expect(edgeBetween("published", "blocked")).toBe(edge);
  expect(edgeBetween("blocked", "published")).toBe(edge);
  expect(edgeBetween("created", "retired")).toBeUndefined();
});

test("demoting and retiring end subscriptions, other steps keep them", () => {
  expect(fateOf("published", "created")).toBe("end");
  expect(fateOf("published", "prototyped")).toBe("end");
  expect(fateOf("deprecated", "retired")).toBe("end");
  expect(fateOf("published", "blocked")).toBe("keep");
  expect(fateOf("blocked", "deprecated")).toBe("keep");
  expect(fateOf("deprecated", "published")).toBe("keep");
  expect(fateOf("created", "published")).toBeUndefined();
  expect(fateOf("prototyped", "created")).toBeUndefined();
});

const empty = { version: { plans: [] }, draft: { operations: [] } };

test("an empty draft needs everything at once", () => {
  expect(needsOf("published", empty)).toEqual(["operation", "upstream", "plan"]);
  expect(needsOf("prototyped", empty)).toEqual(["operation", "upstream"]);
  expect(needsOf("created", empty)).toEqual([]);
});

test("SOAP as REST needs an enabled resource, a proxy none", () => {
  const soap = { contract: "", service: "", port: "", operations: [] };
  const needs = (rest?: { enabled?: boolean }[]) => {
    const resources = rest?.map(({ enabled }) => ({
      method: "GET" as const,
      operation: "a",
      path: "/a",
      ...(enabled === undefined ? {} : { enabled }),
    }));
    const draft = { operations: [], soap: resources ? { ...soap, rest: { resources } } : soap };
    return needsOf("prototyped", { ...empty, draft });
  };
  expect(needs()).toEqual(["upstream"]);
  expect(needs([])).toEqual(["operation", "upstream"]);
  expect(needs([{ enabled: false }])).toEqual(["operation", "upstream"]);
  expect(needs([{ enabled: false }, { enabled: true }])).toEqual(["upstream"]);
  expect(needs([{}])).toEqual(["upstream"]);
});

test("a deployed revision counts, not what the draft has lost since", () => {
  const deployed = { ...empty, version: { deployed_revision: 3, plans: [] } };
  expect(needsOf("published", deployed)).toEqual(["plan"]);
});

test("faults of the API name their need", () => {
  expect(needOfFault({ code: "lifecycle.no_tokens" })).toBe("tokens");
  expect(needOfFault({ code: "lifecycle.not_next" })).toBeUndefined();
});
