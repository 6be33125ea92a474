import { expect, test } from "vitest";
import { answeredBy } from "./answered_by";

const NONE = { upstream: 0, policy: 0, mock: 0, preflight: 0, gateway: 0 };

test.each([
  [200, { upstream: 7 }, "answered by the upstream"],
  [200, { mock: 7 }, "answered by a Mock step"],
  [204, { preflight: 2 }, "CORS preflight"],
  [200, {}, "answered by the upstream"],
  [null, { gateway: 1 }, "none"],
  [
    200,
    { upstream: 1_200, policy: 3 },
    "answered by the upstream (1,200), answered by a Respond step (3)",
  ],
])("%s %j", (status, answered, shown) => {
  expect(answeredBy({ status, answered: { ...NONE, ...answered } })).toBe(shown);
});
