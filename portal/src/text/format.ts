// Formats numbers, times and durations. Times arrive as RFC 3339 and are shown in the browser's
// time zone.

import { language, text } from "./text";

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(language, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
const dateAndTime = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
const relativeTime = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

/** Formats a number, such as `12,345`. */
export const count = (value: number): string => whole.format(value);

/** Formats a number in compact form, such as `12.3k`. */
export const compact = (value: number): string => short.format(value);

/** Formats a share between 0 and 1, such as `3.4%`. */
export const share = (value: number): string => percent.format(value);

const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });
const dayOfYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });

/** Formats a time of day, such as `14:05`. */
export const timeOfDay = (at: string): string => clock.format(new Date(at));

/** Formats a day, such as `24 Nov`. */
export const day = (at: string): string => dayOfYear.format(new Date(at));

const wholeDay = new Intl.DateTimeFormat(language, { dateStyle: "long" });

/** Formats a day with its year, such as `30 June 2027`. */
export const longDay = (at: string): string => wholeDay.format(new Date(at));

const briefDay = new Intl.DateTimeFormat(language, { dateStyle: "medium" });

/** Formats a day with its year in little room, such as `30 Jun 2027`. */
export const shortDay = (at: string): string => briefDay.format(new Date(at));

export const dateTime = (at: string): string => dateAndTime.format(new Date(at));

/** Returns the time zone in which times are shown. */
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Pages update their clock in steps, so a recent event may appear to be this far in the future. */
const AHEAD_S = 30;

/** Formats a time relative to now, such as `2 minutes ago` or `in 3 days`. */
export function relative(at: string, nowMs: number): string {
  const seconds = (Date.parse(at) - nowMs) / 1_000;
  if (Math.abs(seconds) < 60) return seconds > AHEAD_S ? text.ui.soon : text.ui.justNow;
  const fits = UNITS.findIndex(([, length]) => Math.abs(seconds) >= length);
  const [unit, length] = UNITS[fits] ?? (["minute", 60] as const);
  const amount = Math.round(seconds / length);
  const [above, many] = UNITS[fits - 1] ?? (["year", Infinity] as const);
  // Sixty minutes are an hour.
  if (Math.abs(amount) * length >= many) return relativeTime.format(Math.sign(amount), above);
  return relativeTime.format(amount, unit);
}

const BYTE_UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats a size, such as `212 bytes` or `1.4 MiB`. */
export function bytes(value: number): string {
  let rest = value;
  let unit = 0;
  // A value that rounds to 1,024 becomes one of the next unit.
  while (rest >= (unit === 0 ? 1_024 : 1_023.95) && unit < BYTE_UNITS.length - 1) {
    rest /= 1_024;
    unit += 1;
  }
  return `${(unit === 0 ? whole : tenths).format(rest)} ${BYTE_UNITS[unit]}`;
}

/** Formats microseconds, such as `840 µs`, `1.4 ms`, `14 ms` or `2.1 s`. */
export function duration(us: number): string {
  if (us < 999.5) return `${whole.format(us)} µs`;
  if (us < 999_500) return `${(us < 9_950 ? tenths : whole).format(us / 1_000)} ms`;
  return `${tenths.format(us / 1_000_000)} s`;
}

/** Formats whole seconds, such as `90 s`, `12 min`, `3 h` or `5 d`, rounded down. */
export function age(s: number): string {
  if (s < 120) return `${whole.format(s)} s`;
  if (s < 7_200) return `${whole.format(Math.floor(s / 60))} min`;
  if (s < 172_800) return `${whole.format(Math.floor(s / 3_600))} h`;
  return `${whole.format(Math.floor(s / 86_400))} d`;
}
