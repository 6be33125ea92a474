// The fields of a cache of responses, and their mapping to the API's form.

import { Problem } from "../../api/problem";
import type { Cache, Share } from "../../api/queries/cache";
import { text } from "../../text/text";
import { linesOf } from "../policies/step_fields";

const words = text.publisher.version.cache;

export interface CacheFields {
  isOn: boolean;
  /** Numbers as typed; empty if absent. */
  ttl: string;
  share: Share;
  /** One per line, as the other lists; null for the whole query. */
  query: string | null;
  headers: string;
  pass: string;
  staleWhile: string;
  staleError: string;
  /** A status and its seconds per line. */
  negative: string;
  entryBytes: string;
  waitMs: string;
  obeysRequest: boolean;
  showsStatus: boolean;
}

const ENTRY_BYTES = 1_048_576;
const WAIT_MS = 5_000;
const HEADERS = ["accept", "accept-language"];

const typed = (value: number | null | undefined): string => (value == null ? "" : String(value));

/** Other texts have a type that the API does not accept, so it could not name their field. */
function numberOf(value: string, pointer: string): number | null {
  if (value === "") return null;
  if (!/^\d{1,9}$/.test(value)) throw Problem.atField(pointer, words.wholeNumber);
  return Number(value);
}

export function readCache(cache: Partial<Cache>): CacheFields {
  return {
    isOn: cache.enabled ?? true,
    ttl: typed(cache.ttl_s),
    share: cache.share ?? "application",
    query: cache.query?.join("\n") ?? null,
    headers: (cache.headers ?? HEADERS).join("\n"),
    pass: (cache.pass ?? []).join("\n"),
    staleWhile: typed(cache.stale_while_revalidate_s),
    staleError: typed(cache.stale_if_error_s),
    negative: Object.entries(cache.negative_s ?? {})
      .map(([status, seconds]) => `${status} ${seconds}`)
      .join("\n"),
    entryBytes: String(cache.entry_bytes_max ?? ENTRY_BYTES),
    waitMs: String(cache.wait_ms ?? WAIT_MS),
    obeysRequest: cache.obey_request ?? false,
    showsStatus: cache.show_status ?? false,
  };
}

export const NEW_CACHE: CacheFields = readCache({});

/** Returns the API's form; throws a problem for texts that are no numbers. */
export function writeCache(fields: CacheFields, pointer: string): Cache {
  return {
    enabled: fields.isOn,
    ttl_s: numberOf(fields.ttl, `${pointer}/ttl_s`),
    share: fields.share,
    query: fields.query === null ? null : linesOf(fields.query),
    headers: linesOf(fields.headers),
    pass: linesOf(fields.pass),
    stale_while_revalidate_s: numberOf(fields.staleWhile, `${pointer}/stale_while_revalidate_s`),
    stale_if_error_s: numberOf(fields.staleError, `${pointer}/stale_if_error_s`),
    negative_s: writeNegative(fields.negative, `${pointer}/negative_s`),
    entry_bytes_max: numberOf(fields.entryBytes, `${pointer}/entry_bytes_max`) ?? ENTRY_BYTES,
    wait_ms: numberOf(fields.waitMs, `${pointer}/wait_ms`) ?? WAIT_MS,
    obey_request: fields.obeysRequest,
    show_status: fields.showsStatus,
  };
}

function writeNegative(lines: string, pointer: string): Record<string, number> {
  const found = new Map<string, number>();
  for (const line of linesOf(lines)) {
    const [, status, seconds] = /^(\d{1,5})[\s:=]+(\d{1,9})$/.exec(line) ?? [];
    if (status === undefined) throw Problem.atField(pointer, words.negativeForm);
    if (found.has(status)) throw Problem.atField(pointer, words.negativeTwice(status));
    found.set(status, Number(seconds));
  }
  return Object.fromEntries(found);
}
