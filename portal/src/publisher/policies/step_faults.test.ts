// Faults stay with their steps while steps are moved and removed.

import { expect, test } from "vitest";
import { Problem } from "../../api/problem";
import type { Configuration } from "../../api/queries/versions";
import { readPolicies } from "./policy_fields";
import { notesNow, pinsOf, rebased } from "./step_faults";
import { moved } from "./step_moves";

const step = (name: string) => ({ policy: "let", name, value: "1" });

test("a fault follows its step", () => {
  const operations = [{ operations: ["GET /a"], response: [step("x")] }];
  const policies = { request: ["a", "b", "c"].map(step), operations };
  const fields = readPolicies({ policies } as unknown as Configuration);
  const problem = Problem.of(new Response(null, { status: 422 }), {
    detail: "invalid",
    errors: [
      "/policies/request/0/value",
      "/policies/request/2",
      "/policies/operations/0/response/0/if",
      "/policies/cors/origins/1",
    ].map((field) => ({ field, code: "policy.value", detail: field })),
  });
  // The steps that were sent.
  pinsOf(problem, fields);
  const { request } = fields.lists;
  const changed = {
    ...fields,
    lists: { ...fields.lists, request: moved(request, 0, 1).slice(0, 2) },
  };
  expect(rebased(problem, changed).faults.map(({ field }) => field)).toEqual([
    "/policies/request/1/value",
    "/policies/operations/0/response/0/if",
    "/policies/cors/origins/1",
  ]);
});

test("a note follows its step, goes with it, and is back once the draft is read again", () => {
  const policies = { request: ["a", "b", "c"].map(step) };
  const read = () => readPolicies({ policies } as unknown as Configuration);
  const fields = read();
  const notes = ["/policies/request/0/value", "/policies/request/2/value"].map((field) => ({
    field,
    code: "policy.work",
    detail: "much work",
  }));
  const { request } = fields.lists;
  const changed = { ...fields, lists: { ...fields.lists, request: moved(request, 0, 1) } };
  const placed = notesNow({ notes, fields }, changed).map(({ field }) => field);
  expect(placed).toEqual(["/policies/request/1/value", "/policies/request/2/value"]);
  const shortened = { ...fields, lists: { ...fields.lists, request: request.slice(0, 2) } };
  expect(notesNow({ notes, fields }, shortened).map(({ field }) => field)).toEqual([
    "/policies/request/0/value",
  ]);
  const again = read();
  expect(notesNow({ notes, fields: again }, again)).toEqual(notes);
});
