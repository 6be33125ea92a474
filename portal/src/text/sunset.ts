import { longDay, timeOfDay } from "./format";
import { text } from "./text";

const words = text.deprecation.end;
const DAY_MS = 86_400_000;

/** Describes the announced end of a version: a countdown in days, or that it has passed. */
export function sunsetInWords(at: string, nowMs: number): string {
  const end = new Date(at);
  const day = longDay(at);
  if (end.getTime() <= nowMs) return words.passed(day);
  // Days of 23 or 25 hours are days too.
  const days = Math.round((midnightOf(end) - midnightOf(new Date(nowMs))) / DAY_MS);
  if (days === 0) return words.today(timeOfDay(at));
  return days === 1 ? words.tomorrow(day) : words.inDays(days, day);
}

const midnightOf = (date: Date): number =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
