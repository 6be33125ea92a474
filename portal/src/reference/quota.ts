// The remaining quotas, from the fields `RateLimit` and `RateLimit-Policy`
// (draft-ietf-httpapi-ratelimit-headers). The gateway reports the strictest limit of each metric.

import { bytes, count, duration } from "../text/format";
import { text } from "../text/text";
import type { Header } from "./call_request";

export interface Quota {
  left: number;
  /** Seconds until the quota is reset. */
  resetS: number | undefined;
  amount: number | undefined;
  /** What is counted, as in the field; requests if absent. */
  unit: string | undefined;
  windowS: number | undefined;
}

export function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([it]) => it.toLowerCase() === name)?.[1];
}

export function quotasOf(headers: readonly Header[]): readonly Quota[] {
  const policies = items(headerOf(headers, "ratelimit-policy"));
  return items(headerOf(headers, "ratelimit")).flatMap(({ name, parameters }) => {
    const left = numberOf(parameters, "r");
    if (left === undefined) return [];
    const policy = policies.find((it) => it.name === name)?.parameters;
    return {
      left,
      resetS: numberOf(parameters, "t"),
      amount: numberOf(policy, "q"),
      unit: policy?.get("qu"),
      windowS: numberOf(policy, "w"),
    };
  });
}

interface Item {
  name: string;
  parameters: ReadonlyMap<string, string>;
}

function numberOf(parameters: Item["parameters"] | undefined, key: string): number | undefined {
  const value = parameters?.get(key);
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}

const PARAMETER = /;\s*([a-z]+)=(?:(\d+)|"([^"]*)")/g;

/** Parses a list of strings with parameters that are integers or strings (RFC 9651). */
function items(field: string | undefined): Item[] {
  const found = (field ?? "").matchAll(/"([^"]*)"((?:\s*;\s*[a-z]+=(?:\d+|"[^"]*"))*)/g);
  return [...found].map(([, name = "", rest = ""]) => ({
    name,
    parameters: new Map(
      [...rest.matchAll(PARAMETER)].map(([, key = "", integer, string]) => [
        key,
        integer ?? string ?? "",
      ]),
    ),
  }));
}

/** Formats a quota, such as `2,999 of 3,000 left this minute`. */
export function quotaWords({ left, amount, unit, windowS, resetS }: Quota): string {
  const words = text.reference.answer;
  const units: Readonly<Record<string, string>> = words.quotaUnits;
  const formatted = unit === "content-bytes" ? bytes : count;
  if (amount === undefined) return words.leftOnly(formatted(left));
  const whole = `${formatted(amount)} ${units[unit ?? ""] ?? ""}`.trim();
  const windows: Readonly<Record<number, string>> = words.windows;
  const window = (windowS === undefined ? undefined : windows[windowS]) ?? "";
  const known = words.left(formatted(left), whole, window).trim();
  return left > 0 || resetS === undefined
    ? known
    : `${known}, ${words.again(duration(resetS * 1_000_000))}`;
}
