import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type Blame, refusalWords } from "./refusals";

const REFERENCE = resolve(import.meta.dirname, "../../../../docs/reference/refusals.md");

interface Row {
  code: string;
  status: number;
  title: string;
  blame: Blame;
  mayRetry: boolean;
}

/** The rows of the generated table. */
function reference(): Row[] {
  const lines = readFileSync(REFERENCE, "utf8").split("\n");
  return lines.flatMap((line) => {
    const [, code, status, title, blame, retry] = line.split("|").map((cell) => cell.trim());
    if (!code?.startsWith("`")) return [];
    const mayRetry = retry === "yes";
    return [
      {
        code: code.slice(1, -1),
        status: Number(status),
        title: title ?? "",
        blame: blame as Blame,
        mayRetry,
      },
    ];
  });
}

test("every refusal of the gateway is explained, and nothing else", () => {
  const explained = Object.entries(refusalWords).flatMap(([code, { titles, blame, mayRetry }]) =>
    Object.entries(titles).map(([status, title]): Row => ({
      code,
      status: Number(status),
      title,
      blame,
      mayRetry,
    })),
  );
  const inOrder = (rows: Row[]) =>
    rows.toSorted((one, other) =>
      `${one.code} ${one.status}`.localeCompare(`${other.code} ${other.status}`),
    );
  const listed = reference();
  expect(listed.length).toBeGreaterThan(40);
  expect(inOrder(explained)).toEqual(inOrder(listed));
});
