import { expect, test } from "vitest";
import type { VersionOverview } from "../../api/queries/overview";
import {
  KEPT,
  NO_DEFAULT,
  defaultAfter,
  endsDefault,
  lackingInWords,
  proposedDefault,
} from "./default_version";

const sibling = (version: string, state: string) => ({ version, state }) as VersionOverview;

test("the successor is proposed as the default version, else the newest that can be called", () => {
  const siblings = [sibling("4", "created"), sibling("3", "published"), sibling("2", "deprecated")];
  expect(proposedDefault(siblings, "2")).toBe("2");
  expect(proposedDefault(siblings, "4")).toBe("3");
  expect(proposedDefault(siblings, undefined)).toBe("3");
  expect(proposedDefault(siblings.slice(0, 1), undefined)).toBe(NO_DEFAULT);
});

test("a step names the default version only if it changes", () => {
  expect(defaultAfter(KEPT)).toEqual({});
  expect(defaultAfter(NO_DEFAULT)).toEqual({ default: null });
  expect(defaultAfter("ver_2")).toEqual({ default: "ver_2" });
  expect(endsDefault({ is_default: true }, "retired")).toBe(true);
  expect(endsDefault({ is_default: true }, "blocked")).toBe(false);
  expect(endsDefault({ is_default: false }, "retired")).toBe(false);
});

test("of a version that retires without a next default, no call is left", () => {
  const previous = { id: "ver_1", name: "1.0", state: "deprecated" as const };
  expect(lackingInWords("2", previous, null)).toBe(
    "2 applications subscribed to 1.0 can no longer call it without a version in the path:",
  );
  expect(lackingInWords("1", { ...previous, state: "retired" }, null)).toBe(
    "1 application subscribed to 1.0 can no longer call it at all:",
  );
});
