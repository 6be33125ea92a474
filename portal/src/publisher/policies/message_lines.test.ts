// Differences of messages by line, and the lines of the message that is entered.

import { expect, test } from "vitest";
import { changedLines, diffOf, linesOfMessage } from "./message_lines";
import { bareSample, fieldsOf } from "./sample";

const shown = (before: string, after: string) =>
  changedLines(diffOf(before.split(" "), after.split(" "))).map(
    ({ kind, line }) => `${{ same: "", added: "+", removed: "-" }[kind]}${line}`,
  );

test.each([
  ["a b c", "a b c", []],
  ["a b c d", "a b x d", ["b", "-c", "+x", "d"]],
  ["a b", "a b c", ["b", "+c"]],
  ["a b c d e", "b c x d", ["-a", "b", "c", "+x", "d", "-e"]],
  ["a", "b", ["-a", "+b"]],
])("%s to %s", (before, after, expected) => {
  expect(shown(before, after)).toEqual(expected);
});

test("a message is its start line, fields and body, JSON by line", () => {
  const headers = [{ name: "x-a", value: "1" }];
  const body = '{"n":12345678901234567890}';
  const request = {
    method: "POST" as const,
    path: "/a?x=1",
    headers,
    body,
    body_bytes: 26,
    truncated: false,
  };
  expect(linesOfMessage(request)).toEqual([
    "POST /a?x=1",
    "x-a: 1",
    "",
    "{",
    '  "n": 12345678901234567890',
    "}",
  ]);
  const binary = { status: 200, headers: [], body: null, body_bytes: 3, truncated: false };
  expect(linesOfMessage(binary)).toEqual(["200", "", "(3 bytes, not text)"]);
  const cut = { status: 200, headers: [], body: '{"n":', body_bytes: 90_000, truncated: true };
  expect(linesOfMessage(cut)).toEqual(["200", "", '{"n":', "… cut"]);
});

test("lines are header fields", () => {
  expect(fieldsOf("a: 1\n\nB:x:y\n")).toEqual([
    { name: "a", value: "1" },
    { name: "B", value: "x:y" },
  ]);
  expect(fieldsOf("a: 1\nno field")).toBe(2);
});

test("without a document, parameters are 1", () => {
  expect(bareSample("PUT /a/{b}/c").path).toBe("/a/1/c");
});
