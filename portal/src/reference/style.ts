// Values in the styles of OpenAPI: those of RFC 6570 (section 3.2), and the delimited ones and
// `deepObject` (OpenAPI 3.1, 4.8.12.3 and 4.8.12.4).

import { entries, list, object, plain } from "./document/narrow";
import type { Style, Styled } from "./document/parameters";

type Encode = (text: string) => string;
type Pair = readonly [name: string, value: string];

/** A value in a path or a header. */
export function expanded({ name, style, explode }: Styled, value: unknown, encode: Encode): string {
  const members = membersOf(value, encode);
  const parts = explode
    ? (members?.map((it) => it.join("=")) ?? itemsOf(value, encode))
    : (members?.flat() ?? itemsOf(value, encode));
  const isPlural = members !== undefined || Array.isArray(value);
  if (isPlural && parts.length === 0) return "";
  switch (style) {
    case "label":
      return `.${parts.join(explode ? "." : ",")}`;
    case "matrix": {
      if (explode && members !== undefined) return members.map(matrixPart).join("");
      const values = explode ? parts : [parts.join(",")];
      return values.map((it) => matrixPart([encode(name), it])).join("");
    }
    default:
      return parts.join(",");
  }
}

/** An empty value has no `=` (RFC 6570, section 3.2.7). */
function matrixPart([name, value]: Pair): string {
  return value === "" ? `;${name}` : `;${name}=${value}`;
}

/** Between the parts of a value that is not exploded. */
const DELIMITERS: Partial<Record<Style, string>> = { spaceDelimited: " ", pipeDelimited: "|" };

/** The pairs of a query, a form or cookies; names and values are encoded. */
export function pairsOf(styled: Styled, value: unknown, encode: Encode, encodeName = encode) {
  const { style, explode } = styled;
  const name = encodeName(styled.name);
  const members = membersOf(value, encode, encodeName);
  if (style === "deepObject" && members !== undefined) {
    return deep(styled.name, value).map(([path, it]): Pair => [encodeName(path), encode(it)]);
  }
  if (members !== undefined && explode) return members;
  const parts = members?.flat() ?? itemsOf(value, encode);
  if (explode || style === "deepObject") return parts.map((it): Pair => [name, it]);
  const delimiter = DELIMITERS[style];
  if (parts.length === 0) return [];
  // A delimiter of the style is part of the value, so it is encoded; commas are not.
  const joined = parts.join(delimiter === undefined ? "," : encodeName(delimiter));
  return [[name, joined] satisfies Pair];
}

/** Members of members get names of their own, as servers that know `deepObject` read them. */
function deep(path: string, value: unknown): Pair[] {
  if (Array.isArray(value)) return list(value).flatMap((it) => deep(path, it));
  if (object(value) === undefined) return value === null ? [] : [[path, plain(value)]];
  return entries(value).flatMap(([name, it]) => deep(`${path}[${name}]`, it));
}

/** Undefined where the value is no object; members without a value are left out. */
function membersOf(value: unknown, encode: Encode, encodeName = encode): Pair[] | undefined {
  if (object(value) === undefined) return undefined;
  return entries(value)
    .filter(([, it]) => it !== null)
    .map(([name, it]) => [encodeName(name), encode(plain(it))]);
}

/** The items of a list; one of anything else. */
function itemsOf(value: unknown, encode: Encode): string[] {
  const items = Array.isArray(value) ? list(value).filter((it) => it !== null) : [value];
  return items.map((it) => encode(plain(it)));
}
