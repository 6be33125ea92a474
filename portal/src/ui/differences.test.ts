import { describe, expect, it } from "vitest";
import { differencesOf } from "./differences";

describe("differences between a draft and a change", () => {
  it("are the members that the change alters", () => {
    const theirs = { upstream: { url: "http://b", connections_max: 5 }, limits: [] };
    expect(differencesOf(theirs, { upstream: { url: "http://a", ca: null } })).toEqual([
      { path: "upstream.url", theirs: "http://b", yours: "http://a" },
    ]);
  });

  it("are none if both are equal; absent equals null", () => {
    expect(differencesOf({}, { sandbox_upstream: null, security: { basic: null } })).toEqual([]);
  });

  it("include removals, and show no secret", () => {
    const theirs = { upstream: { credential: { header: { name: "X-Key", value: "***" } } } };
    const yours = { upstream: { credential: { header: { name: "X-Key", value: "secret" } } } };
    expect(differencesOf(theirs, yours)).toEqual([
      { path: "upstream.credential.header.value", theirs: "***", yours: "***" },
    ]);
    expect(differencesOf(theirs, { upstream: null })).toHaveLength(1);
  });
});
