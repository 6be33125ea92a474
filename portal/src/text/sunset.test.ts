import { expect, test } from "vitest";
import { sunsetInWords } from "./sunset";

/** A time in the zone of this machine, as countdowns count. */
const local = (day: number, hour: number, month = 5) => new Date(2027, month, day, hour);
const words = (end: Date, now: Date) => sunsetInWords(end.toISOString(), now.getTime());

test("the end is counted in days of the calendar", () => {
  expect(words(local(30, 0), local(19, 23, 4))).toBe("ends in 42 days, on 30 June 2027");
  expect(words(local(30, 23), local(19, 0, 4))).toBe("ends in 42 days, on 30 June 2027");
});

test("tomorrow begins at midnight", () => {
  expect(words(local(2, 1), local(1, 23))).toBe("ends tomorrow, on 2 June 2027");
  expect(words(local(1, 23), local(1, 1))).toBe("ends today, at 23:00");
});

test("an end that has passed was announced", () => {
  expect(words(local(1, 9), local(1, 9))).toBe("was announced to end on 1 June 2027");
  expect(words(local(1, 9), local(1, 9, 7))).toBe("was announced to end on 1 June 2027");
});
