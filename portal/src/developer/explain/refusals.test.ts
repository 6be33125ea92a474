import { expect, test } from "vitest";
import { readPasted } from "./refusals";

test("a whole problem is known by its code", () => {
  const problem = `{"type":"about:blank","status":403,"code":"authorize.scope","request_id":"4404"}`;
  expect(readPasted(problem)).toEqual({ code: "authorize.scope", candidates: [], status: 403 });
});

test("a bare code, a SOAP fault and a line of curl are known", () => {
  expect(readPasted(" admit.api ").code).toBe("admit.api");
  expect(readPasted("<code>mediate.not_well_formed</code>").code).toBe("mediate.not_well_formed");
  expect(readPasted('HTTP/1.1 500\n\n{"code": "internal"}').code).toBe("internal");
});

test("a status alone leaves a choice, or none where one refusal has it", () => {
  expect(readPasted("401").candidates).toEqual([
    "authenticate.missing",
    "authenticate.invalid",
    "authenticate.wrong_type",
  ]);
  expect(readPasted("504").code).toBe("upstream.timeout");
});

test("what is no refusal of the gateway is none", () => {
  expect(readPasted("teapot 418")).toEqual({ candidates: [], status: 418 });
  expect(readPasted("name.taken")).toEqual({ candidates: [] });
  expect(readPasted("12345")).toEqual({ candidates: [] });
});
