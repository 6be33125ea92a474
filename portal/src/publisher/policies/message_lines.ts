// Messages as lines of text, and the lines that differ between two.

import type { Message } from "../../api/queries/mediate";
import { prettyJson } from "../../reference/pretty";
import { bytes } from "../../text/format";
import { text } from "../../text/text";

export interface DiffLine {
  kind: "same" | "added" | "removed";
  line: string;
}

/**
 * Returns the start line, the fields and the body; JSON is indented, its tokens stay. A message with a
 * missing part ends in a line that marks it.
 */
export function linesOfMessage(message: Message): string[] {
  const { method, path, status, headers } = message;
  const start = status == null ? `${method ?? ""} ${path ?? ""}` : String(status);
  const fields = headers.map(({ name, value }) => `${name}: ${value}`);
  const body = bodyOf(message);
  const end = message.truncated ? [text.publisher.version.policies.dryRun.cut] : [];
  return [start.trim(), ...fields, ...(body === "" ? [] : ["", ...body.split("\n")]), ...end];
}

function bodyOf({ body, body_bytes }: Message): string {
  if (body == null) {
    return body_bytes === 0 ? "" : text.publisher.version.policies.dryRun.binary(bytes(body_bytes));
  }
  return isJson(body) ? prettyJson(body) : body;
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** Maximum product of the numbers of lines that are compared line by line. */
const CELLS_MAX = 250_000;

/** Returns the lines of both texts in order: the longest common subsequence is the same. */
export function diffOf(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start])
    start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before.at(-1 - end) === after.at(-1 - end)
  ) {
    end += 1;
  }
  const same = (lines: readonly string[]) => lines.map(lineOf("same"));
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

const lineOf =
  (kind: DiffLine["kind"]) =>
  (line: string): DiffLine => ({ kind, line });

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const [removed, added, same] = [lineOf("removed"), lineOf("added"), lineOf("same")];
  if (before.length * after.length > CELLS_MAX)
    return [...before.map(removed), ...after.map(added)];
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [old, now] = [before[left], after[right]];
    if (old !== undefined && old === now) {
      lines.push(same(old));
      left += 1;
      right += 1;
    } else if (
      now === undefined ||
      (old !== undefined && lengthAt(common, left + 1, right) >= lengthAt(common, left, right + 1))
    ) {
      lines.push(removed(old ?? ""));
      left += 1;
    } else {
      lines.push(added(now));
      right += 1;
    }
  }
  return lines;
}

type Lengths = readonly (readonly number[])[];
const lengthAt = (lengths: Lengths, left: number, right: number) => lengths[left]?.[right] ?? 0;

/** Returns the length of the longest common subsequence of the ends from each pair of lines. */
function commonLengths(before: readonly string[], after: readonly string[]): Lengths {
  const lengths: number[][] = Array.from({ length: before.length + 1 }, () => []);
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      const value =
        before[left] === after[right]
          ? lengthAt(lengths, left + 1, right + 1) + 1
          : Math.max(lengthAt(lengths, left + 1, right), lengthAt(lengths, left, right + 1));
      const row = lengths[left];
      if (row) row[right] = value;
    }
  }
  return lengths;
}

/** Unchanged lines that are shown around a change. */
const AROUND = 1;

/** Returns the changed lines with those around them. */
export function changedLines(lines: readonly DiffLine[]): DiffLine[] {
  const isChanged = (at: number) => (lines[at]?.kind ?? "same") !== "same";
  return lines.filter((_, at) => {
    for (let near = at - AROUND; near <= at + AROUND; near += 1) if (isChanged(near)) return true;
    return false;
  });
}
