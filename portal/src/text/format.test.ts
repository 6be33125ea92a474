import { expect, test } from "vitest";
import { age, bytes, compact, count, dateTime, duration, relative, share } from "./format";

test.each([
  [0, "0"],
  [12_345, "12,345"],
])("count %d", (value, expected) => expect(count(value)).toBe(expected));

test("large numbers have a compact form", () => {
  expect(compact(12_345)).toBe("12.3k");
  expect(share(0.0344)).toBe("3.4%");
});

test.each([
  [0, "0 bytes"],
  [1_023, "1,023 bytes"],
  [1_024, "1.0 KiB"],
  [1_048_575, "1.0 MiB"],
  [1_500_000, "1.4 MiB"],
  [2 ** 60, "1,048,576.0 TiB"],
])("%d bytes", (value, expected) => expect(bytes(value)).toBe(expected));

test.each([
  [840, "840 µs"],
  [999.6, "1.0 ms"],
  [9_960, "10 ms"],
  [14_200, "14 ms"],
  [999_700, "1.0 s"],
  [2_140_000, "2.1 s"],
])("%d µs", (value, expected) => expect(duration(value)).toBe(expected));

test.each([
  [0, "0 s"],
  [119, "119 s"],
  [120, "2 min"],
  [7_199, "119 min"],
  [7_200, "2 h"],
  [172_799, "47 h"],
  [31_536_000, "365 d"],
])("%d s", (value, expected) => expect(age(value)).toBe(expected));

test("dates have the day first, and times have 24 hours", () => {
  expect(dateTime("2026-03-01T15:04:05")).toBe("1 Mar 2026, 15:04:05");
});

test.each([
  [0, "just now"],
  [-59, "just now"],
  [29, "just now"],
  [59, "within a minute"],
  [-120, "2 minutes ago"],
  [-3_599, "1 hour ago"],
  [3 * 86_400, "in 3 days"],
  [-86_400, "yesterday"],
  [400 * 86_400, "next year"],
])("%d s from now", (seconds, expected) => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const at = new Date(now + seconds * 1_000).toISOString();
  expect(relative(at, now)).toBe(expected);
});
