import { expect, test } from "vitest";
import { Problem } from "./problem";

const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
  Problem.of(new Response(body, { status, headers }), read(body));

/** Parses a body as the client does: as JSON if possible, else as text. */
function read(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

test("texts of the API are kept", () => {
  const problem = answer(
    422,
    JSON.stringify({
      title: "Invalid",
      detail: "the name is taken",
      code: "request.invalid",
      request_id: "req_1",
      errors: [{ field: "/name", code: "taken", detail: "is taken" }],
    }),
  );
  expect(problem).toMatchObject({
    status: 422,
    code: "request.invalid",
    message: "the name is taken",
    requestId: "req_1",
  });
  expect(problem.faultAt("/name")).toBe("is taken");
  expect(problem.faultAt("/context")).toBeUndefined();
});

test.each(["<html>502 Bad Gateway</html>", "", "null", "[]", '"text"', '{"errors":null}'])(
  "a response without a problem document is reported by its status: %j",
  (body) => {
    const problem = answer(502, body);
    expect(problem).toMatchObject({ status: 502, code: "answer.unknown", faults: [] });
    expect(problem.message).toBe("The response has status 502.");
  },
);

test.each([
  ["3", 3],
  ["0", undefined],
  ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
])("Retry-After %s", (value, seconds) => {
  expect(answer(429, "{}", { "retry-after": value }).retryAfterS).toBe(seconds);
});

test("a saved change that is not yet in effect is not a failure", () => {
  expect(answer(503, '{"code":"feed.behind"}').isBehind).toBe(true);
  expect(answer(503, '{"code":"feed.refused"}').isBehind).toBe(false);
});

test("anything thrown becomes a problem", () => {
  const unreachable = Problem.unreachable();
  expect(Problem.from(unreachable)).toBe(unreachable);
  expect(Problem.from(new Error("a bug")).message).toBe("a bug");
  expect(Problem.from("a word").message).toBe("a word");
});

test.each([
  [404, false],
  [409, false],
  [422, false],
  [408, true],
  [429, true],
  [500, true],
  [503, true],
])("status %i may succeed on a retry: %s", (status, mayPass) => {
  expect(answer(status, "").mayPass).toBe(mayPass);
  expect(Problem.unreachable().mayPass).toBe(true);
});

test("faults can be shown at other fields, each once, with the rest of the problem", () => {
  const fault = (field: string) => ({ field, code: "limit.amount", detail: "too small" });
  const body = { code: "draft.invalid", detail: "too small", request_id: "r1" };
  const errors = [fault("/operations/1/limits"), fault("/operations/2/limits"), fault("/name")];
  const moved = answer(422, JSON.stringify({ ...body, errors })).at((field) =>
    field.replace(/^\/operations\/\d+/, ""),
  );
  expect(moved.faults).toEqual([fault("/limits"), fault("/name")]);
  expect(moved).toMatchObject({ status: 422, code: "draft.invalid", requestId: "r1" });
});
