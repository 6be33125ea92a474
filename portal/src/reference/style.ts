// Serializes values in the styles of OpenAPI 3.1 (4.8.12.3 and 4.8.12.4), of which `matrix`,
// `label`, `simple` and `form` are those of RFC 6570 (section 3.2).

import { entries, list, object, plain } from "./document/narrow";
import type { Style, Styled } from "./document/parameters";

type Encode = (text: string) => string;
type Pair = readonly [name: string, value: string];

/** Serializes a value of a path or a header. */
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

/** Formats a pair; an empty value has no `=` (RFC 6570, section 3.2.7). */
function matrixPart([name, value]: Pair): string {
  return value === "" ? `;${name}` : `;${name}=${value}`;
}

/** Delimiters of values that are not exploded; other styles use commas. */
const DELIMITERS: Partial<Record<Style, string>> = { spaceDelimited: " ", pipeDelimited: "|" };

/** Serializes a value of a query, a form or cookies as encoded names and values. */
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
  // Spaces and pipes are encoded; commas are not.
  const joined = parts.join(delimiter === undefined ? "," : encodeName(delimiter));
  return [[name, joined] satisfies Pair];
}

/** Serializes nested members, which OpenAPI leaves undefined; most servers read `a[b][c]=1`. */
function deep(path: string, value: unknown): Pair[] {
  if (Array.isArray(value)) return list(value).flatMap((it) => deep(path, it));
  if (object(value) === undefined) return value === null ? [] : [[path, plain(value)]];
  return entries(value).flatMap(([name, it]) => deep(`${path}[${name}]`, it));
}

/** Returns the members; undefined if the value is not an object. Null members are omitted. */
function membersOf(value: unknown, encode: Encode, encodeName = encode): Pair[] | undefined {
  if (object(value) === undefined) return undefined;
  return entries(value)
    .filter(([, it]) => it !== null)
    .map(([name, it]) => [encodeName(name), encode(plain(it))]);
}

/** Returns the items of a list, or the value as the only item. */
function itemsOf(value: unknown, encode: Encode): string[] {
  const items = Array.isArray(value) ? list(value).filter((it) => it !== null) : [value];
  return items.map((it) => encode(plain(it)));
}
