// Resolves `$ref` in a foreign document on demand: only within the document, with a maximum number
// of hops, and with a sentence if it cannot be resolved.

import { text } from "../../text/text";
import { type Unknowns, entries, member, object } from "./narrow";

/** The result of following a reference. */
export interface Followed {
  value: unknown;
  /** Pointer of the last reference followed; absent for inline values. */
  pointer?: string | undefined;
  /** Why there is no value. */
  fault?: string | undefined;
}

const HOPS_MAX = 16;

/** Follows `$ref` to a value. Members beside a reference override those of its target. */
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
    present = resolvePointer(document, reference.slice(1));
    if (present === undefined) return nowhere(text.reference.faults.missing(reference));
  }
  return nowhere(text.reference.faults.endless(pointer ?? ""));
}

function nowhere(fault: string): Followed {
  return { value: undefined, fault };
}

/** Resolves a JSON pointer (RFC 6901), percent-encoded as in a URL. */
function resolvePointer(document: unknown, pointer: string): unknown {
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

/** Returns the display name of a pointer's target: that of the component. */
export function nameOf(pointer: string | undefined): string | undefined {
  const last = pointer?.split("/").at(-1);
  return last === undefined ? undefined : decoded(last).replaceAll("~1", "/").replaceAll("~0", "~");
}
