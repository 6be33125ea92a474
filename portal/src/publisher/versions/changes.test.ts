import { describe, expect, it } from "vitest";
import type { Configuration } from "../../api/queries/versions";
import { changesOf } from "./changes";

const DEPLOYED: Configuration = {
  operations: [
    { method: "GET", path: "/pets" },
    { method: "POST", path: "/pets" },
    { method: "GET", path: "/pets/{pet}" },
  ],
  upstream: { url: "http://127.0.0.1:9", verify_certificate: true },
};

describe("changes of a draft", () => {
  it("are none if only the order of members differs", () => {
    const draft = {
      upstream: { verify_certificate: true, url: "http://127.0.0.1:9" },
      operations: DEPLOYED.operations ?? [],
      sandbox_upstream: null,
    };
    expect(changesOf(DEPLOYED, draft)).toEqual([]);
  });

  it("count added, removed and changed operations", () => {
    const draft: Configuration = {
      ...DEPLOYED,
      operations: [
        { method: "GET", path: "/pets", summary: "All pets" },
        { method: "POST", path: "/pets" },
        { method: "GET", path: "/visits" },
      ],
    };
    expect(changesOf(DEPLOYED, draft)).toEqual([{ part: "operations", members: 3 }]);
  });

  it("name every other part once", () => {
    const draft: Configuration = {
      ...DEPLOYED,
      upstream: { url: "http://127.0.0.1:8", verify_certificate: true },
      limits: [],
    };
    expect(changesOf(DEPLOYED, draft)).toEqual([{ part: "upstream" }, { part: "limits" }]);
  });
});
