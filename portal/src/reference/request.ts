// Builds a request from the values of try-it, and finds values that browsers cannot send.
// Credentials are added later.

import { text } from "../text/text";
import type { CallRequest, Header, SentBody } from "./call_request";
import type { Operation } from "./document/operations";
import { type Parameter, PLACEHOLDER, keyOf } from "./document/parameters";
import {
  encoded,
  hasDotSegments,
  isFieldValue,
  isToken,
  reservedKept,
  wellFormed,
} from "./sendable";
import { expanded, pairsOf } from "./style";
import { valueOf } from "./typed";

/** The values of try-it. */
export interface Inputs {
  /** Texts of parameters, by {@link keyOf}; parameters without an entry are omitted. */
  values: ReadonlyMap<string, string>;
  body: SentBody | undefined;
}

export interface Filled {
  request: CallRequest;
  /** Reasons why parameters cannot be sent, by {@link keyOf}. */
  faults: ReadonlyMap<string, string>;
}

/** Builds the request of an operation below the version's address. */
export function fill(
  document: unknown,
  address: string,
  operation: Operation,
  { values, body }: Inputs,
): Filled {
  const faults = new Map<string, string>();
  const query: string[] = [];
  const headers: Header[] = [];
  const cookies: string[] = [];
  const inPath = new Map<string, string>();
  for (const parameter of operation.parameters) {
    const typed = values.get(keyOf(parameter));
    if (parameter.isRest)
      inPath.set(parameter.name, (typed ?? "").split("/").map(encoded).join("/"));
    if (typed === undefined || parameter.isRest) continue;
    const value = parameter.content ? typed : valueOf(document, parameter.schema, typed);
    const fault = fieldFault(parameter, value);
    if (fault !== undefined) faults.set(keyOf(parameter), fault);
    else if (parameter.in === "query") query.push(...queryOf(parameter, value));
    else if (parameter.in === "header") headers.push([parameter.name, headerOf(parameter, value)]);
    else if (parameter.in === "cookie") cookies.push(...cookiesOf(parameter, value));
    else inPath.set(parameter.name, expanded(parameter, value, encoded));
  }
  if (cookies.length > 0) headers.push(["cookie", cookies.join("; ")]);
  const path = pathOf(operation, inPath);
  const url = `${address}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  for (const [key, fault] of pathFaults(operation, inPath)) faults.set(key, fault);
  return { request: { method: operation.method, url, headers, body }, faults };
}

function pathOf({ path }: Operation, values: ReadonlyMap<string, string>): string {
  return path.replaceAll(PLACEHOLDER, (whole, name: string) => values.get(name) ?? whole);
}

/** Finds parameters that are missing, and those that form dot segments, which browsers resolve. */
function pathFaults(operation: Operation, values: ReadonlyMap<string, string>): [string, string][] {
  const segments = operation.path.split("/");
  return segments.flatMap((segment) => {
    const names = [...segment.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
    const isDots = hasDotSegments(pathOf({ ...operation, path: segment }, values));
    return names.flatMap((name): [string, string][] => {
      const key = keyOf({ in: "path", name });
      const isEmpty = (values.get(name) ?? "") === "";
      const isRequired = operation.parameters.some((it) => keyOf(it) === key && it.isRequired);
      if (isEmpty && isRequired) return [[key, text.reference.tryIt.missing(name)]];
      return isDots ? [[key, text.reference.tryIt.unsendablePath(name)]] : [];
    });
  });
}

/** Returns why HTTP cannot send a parameter as a header or a cookie. */
function fieldFault(parameter: Parameter, value: unknown): string | undefined {
  const { name, in: place } = parameter;
  if (place !== "header" && place !== "cookie") return undefined;
  if (!isToken(name)) return text.reference.tryIt.unsendableName(name);
  if (place === "header" && !isFieldValue(headerOf(parameter, value)))
    return text.reference.tryIt.unsendableHeader(name);
  return undefined;
}

function headerOf(parameter: Parameter, value: unknown): string {
  return expanded(parameter, value, wellFormed);
}

function queryOf(parameter: Parameter, value: unknown): string[] {
  const encode = parameter.allowReserved ? reservedKept : encoded;
  return pairsOf(parameter, value, encode, encoded).map((it) => it.join("="));
}

/** Returns one cookie per pair, because `&` would be part of a value. */
function cookiesOf(parameter: Parameter, value: unknown): string[] {
  const encodeName = (name: string) => (isToken(name) ? name : encoded(name));
  return pairsOf(parameter, value, encoded, encodeName).map((it) => it.join("="));
}

/** Headers that browsers set themselves (Fetch, forbidden request-headers). */
const BROWSERS_OWN =
  /^(proxy-.*|sec-.*|accept-(charset|encoding)|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|user-agent)$/i;

export function isBrowsersOwn(parameter: Pick<Parameter, "in" | "name">): boolean {
  return (
    parameter.in === "cookie" || (parameter.in === "header" && BROWSERS_OWN.test(parameter.name))
  );
}
