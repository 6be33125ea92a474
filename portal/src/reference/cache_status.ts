// What the gateway's cache did for a call, from the fields `Cache-Status` (RFC 9211) and `Age` (RFC
// 9111, section 5.1). Other caches on the path come before the gateway's.

import type { Header } from "./call_request";
import { headerOf } from "./quota";

/** Name of the gateway's cache. */
const CACHE = /^tollgate\s*(;|$)/;
/** A comma outside of a quoted text. */
const SEPARATOR = /,(?=(?:[^"]*"[^"]*")*[^"]*$)/;

export interface CacheResult {
  use: "hit" | "stale" | "revalidated" | "miss" | "fresh" | "bypass";
  /** Whether the response was stored. */
  isStored: boolean;
  /** Seconds since the response left the upstream. */
  ageS: number | undefined;
  /** Seconds for which a hit stays fresh; negative once it has expired. */
  ttlS: number | undefined;
}

/** Returns the result; undefined if the response does not describe it. */
export function cacheResultOf(headers: readonly Header[]): CacheResult | undefined {
  const members = (headerOf(headers, "cache-status") ?? "").split(SEPARATOR);
  const own = members.map((it) => it.trim()).findLast((it) => CACHE.test(it));
  if (own === undefined) return undefined;
  const parameters = new Map(
    own.split(";").map((it): [string, string] => {
      const [name = "", value = ""] = it.split("=");
      return [name.trim(), value.trim()];
    }),
  );
  const ttlS = numberOf(parameters.get("ttl"));
  return {
    use: readUse(parameters, ttlS),
    isStored: parameters.has("stored"),
    ageS: numberOf(headerOf(headers, "age")),
    ttlS,
  };
}

function readUse(parameters: ReadonlyMap<string, string>, ttlS = 0): CacheResult["use"] {
  if (parameters.has("hit")) return ttlS < 0 ? "stale" : "hit";
  switch (parameters.get("fwd")) {
    case "bypass":
      return "bypass";
    case "request":
      return "fresh";
    case "stale":
      if (parameters.get("fwd-status") === "304") return "revalidated";
      // Only a stored response in place of a failed one has a detail.
      return parameters.has("detail") ? "stale" : "miss";
    default:
      return "miss";
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}
