// `$ref` of a foreign document, followed on demand: within the document only, so many hops, and a
// sentence where it leads nowhere.

import { text } from "../../text/text";
import { type Unknowns, entries, member, object } from "./narrow";

/** Where a reference led. */
export interface Followed {
  value: unknown;
  /** The pointer of the last reference that was followed; what is in line has none. */
  pointer?: string | undefined;
  /** Why there is no value. */
  fault?: string | undefined;
}

const HOPS_MAX = 16;

/** Follows `$ref` until there is a value. Members beside a reference win over those it leads to. */
export function follow(document: unknown, value: unknown): Followed {
  let present = value;
  let pointer: string | undefined;
  let beside: Unknowns = {};
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    const reference = member(present, "$ref");
    if (typeof reference !== "string") {
      const isAlone = object(present) === undefined || Object.keys(beside).length === 0;
      return { value: isAlone ? present : { ...object(present), ...beside }, pointer };
    }
    if (!reference.startsWith("#")) return nowhere(text.reference.faults.elsewhere(reference));
    const others = entries(present).filter(([name]) => name !== "$ref");
    beside = { ...Object.fromEntries(others), ...beside };
    pointer = reference;
    present = at(document, reference.slice(1));
    if (present === undefined) return nowhere(text.reference.faults.missing(reference));
  }
  return nowhere(text.reference.faults.endless(pointer ?? ""));
}

function nowhere(fault: string): Followed {
  return { value: undefined, fault };
}

/** What a JSON pointer (RFC 6901), with percent-encoding as in a URL, leads to. */
function at(document: unknown, pointer: string): unknown {
  let present = document;
  for (const token of pointer.split("/").slice(1)) {
    const name = decoded(token).replaceAll("~1", "/").replaceAll("~0", "~");
    present = Array.isArray(present) ? (present as unknown[])[Number(name)] : member(present, name);
  }
  return present;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** The name by which people know what a pointer leads to: that of a component. */
export function nameOf(pointer: string | undefined): string | undefined {
  const last = pointer?.split("/").at(-1);
  return last === undefined ? undefined : decoded(last).replaceAll("~1", "/").replaceAll("~0", "~");
}
