import { expect, test } from "vitest";
import { PIECE, piecesOf } from "./pieces";

test("pieces end at line ends, and long lines are cut", () => {
  expect(piecesOf("short")).toEqual(["short"]);
  const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at}`).join("\n");
  const pieces = piecesOf(lines);
  expect(pieces.join("\n")).toBe(lines);
  expect(pieces.every((piece) => piece.length <= PIECE)).toBe(true);
  expect(piecesOf("x".repeat(2 * PIECE + 1)).map(({ length }) => length)).toEqual([
    PIECE,
    PIECE,
    1,
  ]);
  expect(piecesOf(`\n${"x".repeat(PIECE + 5)}`)[0]).toHaveLength(PIECE);
});
