import { expect, test } from "vitest";
import { csvOf } from "./csv";

const columns = [
  { title: "Name", value: (row: readonly [string, number]) => row[0] },
  { title: "Calls", value: (row: readonly [string, number]) => row[1] },
];

test("rows become lines of a file, after the titles", () => {
  expect(
    csvOf(columns, [
      ["Shop", 12],
      ["", -1],
    ]),
  ).toBe("Name,Calls\r\nShop,12\r\n,-1\r\n");
  expect(csvOf(columns, [])).toBe("Name,Calls\r\n");
});

test("commas, quotes and line ends stay inside their field", () => {
  expect(csvOf(columns, [['a "b", c\nd', 1]])).toBe('Name,Calls\r\n"a ""b"", c\nd",1\r\n');
});

test("no text becomes a formula", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)"]) {
    expect(csvOf(columns, [[text, 0]])).toBe(`Name,Calls\r\n'${text},0\r\n`);
  }
});
