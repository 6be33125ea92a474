import { expect, test } from "vitest";
import { refusalWords } from "../../text/en/refusals";
import { readPasted } from "./refusals";

test("a whole problem is recognized by its code", () => {
  const problem = `{"type":"about:blank","status":403,"code":"authorize.scope","request_id":"4404"}`;
  expect(readPasted(problem)).toEqual({ code: "authorize.scope", candidates: [], status: 403 });
});

test("a bare code, a SOAP fault and curl output are recognized", () => {
  expect(readPasted(" admit.api ").code).toBe("admit.api");
  expect(readPasted("<code>mediate.not_well_formed</code>").code).toBe("mediate.not_well_formed");
  expect(readPasted('HTTP/1.1 500\n\n{"code": "internal"}').code).toBe("internal");
});

test("a status alone gives candidates, or the refusal if only one has it", () => {
  expect(readPasted("401").candidates).toEqual([
    "authenticate.missing",
    "authenticate.invalid",
    "authenticate.wrong_type",
  ]);
  expect(readPasted("414").code).toBe("listener.target_too_long");
});

test("other text is not recognized as a refusal", () => {
  expect(readPasted("teapot 418")).toEqual({ candidates: [], status: 418 });
  expect(readPasted("name.taken")).toEqual({ candidates: [] });
  expect(readPasted("12345")).toEqual({ candidates: [] });
});

test("a sentence of a refusal is recognized, however it was copied", () => {
  const { titles } = refusalWords["authorize.not_subscribed"];
  const [title = ""] = Object.values(titles);
  expect(readPasted(`  ${title.toUpperCase().replace(" ", "\n")} `).code).toBe(
    "authorize.not_subscribed",
  );
  const { explained } = refusalWords["upstream.certificate"];
  expect(readPasted(explained).code).toBe("upstream.certificate");
});

test("a refusal of another component is shown with its own message", () => {
  const problem = `{"status":403,"code":"role.missing","detail":"this needs one of the roles"}`;
  expect(readPasted(problem)).toEqual({
    candidates: [],
    status: 403,
    other: { code: "role.missing", detail: "this needs one of the roles" },
  });
  const oauth2 = `HTTP/1.1 401 Unauthorized\n\n{"error":"invalid_client"}`;
  expect(readPasted(oauth2).other).toEqual({ code: "invalid_client", detail: undefined });
});

test("truncated or invalid JSON is read as text", () => {
  expect(readPasted('{"code": "admit.api", "sta').code).toBe("admit.api");
  expect(readPasted('{"code": {"a": 1}}')).toEqual({ candidates: [] });
});

test("a request id is recognized alone, in a problem and in a head, but not in a longer number", () => {
  const id = "8b3c1f2d4e5a69788796a5b4c3d2e1f0";
  expect(readPasted(id.toUpperCase())).toEqual({ call: id, candidates: [] });
  const problem = `{"status":429,"code":"admit.api","request_id":"${id}"}`;
  expect(readPasted(problem)).toMatchObject({ call: id, code: "admit.api" });
  expect(readPasted(`X-Request-Id: ${id}\r\n`).call).toBe(id);
  expect(readPasted(`${id}0`).call).toBeUndefined();
});
