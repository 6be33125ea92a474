// The remaining quota, from the fields `RateLimit` and `RateLimit-Policy`
// (draft-ietf-httpapi-ratelimit-headers). The gateway reports the strictest limit that applies.

import { count, duration } from "../text/format";
import { text } from "../text/text";
import type { Header } from "./call_request";

export interface Quota {
  left: number;
  /** Seconds until the quota is reset. */
  resetS: number | undefined;
  amount: number | undefined;
  windowS: number | undefined;
}

export function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([it]) => it.toLowerCase() === name)?.[1];
}

export function quotaOf(headers: readonly Header[]): Quota | undefined {
  const limit = items(headerOf(headers, "ratelimit"))[0];
  const left = limit?.parameters.get("r");
  if (limit === undefined || left === undefined) return undefined;
  const policies = items(headerOf(headers, "ratelimit-policy"));
  const policy = policies.find(({ name }) => name === limit.name)?.parameters;
  return {
    left,
    resetS: limit.parameters.get("t"),
    amount: policy?.get("q"),
    windowS: policy?.get("w"),
  };
}

interface Item {
  name: string;
  parameters: ReadonlyMap<string, number>;
}

/** Parses a list of strings with integer parameters (RFC 9651). */
function items(field: string | undefined): Item[] {
  return [...(field ?? "").matchAll(/"([^"]*)"((?:\s*;\s*[a-z]+=\d+)*)/g)].map(
    ([, name, rest]) => ({
      name: name ?? "",
      parameters: new Map(
        [...(rest ?? "").matchAll(/([a-z]+)=(\d+)/g)].map(([, key, value]) => [
          key ?? "",
          Number(value),
        ]),
      ),
    }),
  );
}

/** Formats a quota, such as `2,999 of 3,000 left this minute`. */
export function quotaWords({ left, amount, windowS, resetS }: Quota): string {
  const words = text.reference.answer;
  if (amount === undefined) return words.leftOnly(count(left));
  const windows: Readonly<Record<number, string>> = words.windows;
  const window = (windowS === undefined ? undefined : windows[windowS]) ?? "";
  const known = words.left(count(left), count(amount), window).trim();
  return left > 0 || resetS === undefined
    ? known
    : `${known}, ${words.again(duration(resetS * 1_000_000))}`;
}
