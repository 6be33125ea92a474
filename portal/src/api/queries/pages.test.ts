import { expect, test } from "vitest";
import { listing } from "./pages";

/** A list of `total` numbers that records its requests. */
function numbers(total: number) {
  const requested: (string | undefined)[] = [];
  const list = listing<number>(["numbers"], ({ limit, after }) => {
    requested.push(after);
    const from = Number(after ?? 0);
    const end = Math.min(from + limit, total);
    const items = Array.from({ length: end - from }, (_, at) => from + at);
    return Promise.resolve({ items, total, next: end < total ? String(end) : null });
  });
  return { list, requested };
}

test("a file has all pages of a list, each once", async () => {
  const { list, requested } = numbers(1_200);
  const { items, total } = await list.all();
  expect(items).toEqual(Array.from({ length: 1_200 }, (_, at) => at));
  expect(total).toBe(1_200);
  expect(requested).toEqual([undefined, "500", "1000"]);
});

test("a file ends at its limit", async () => {
  const { items, total } = await numbers(50_000).list.all();
  expect([items.length, total]).toEqual([20_000, 50_000]);
});
