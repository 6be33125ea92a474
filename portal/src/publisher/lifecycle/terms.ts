// The terms of a deprecation, as entered and as sent.

import type { Deprecation, DeprecationPatch, Move } from "../../api/queries/lifecycle";
import type { State } from "../../api/queries/versions";
import { localMinute, timeOfLocalMinute } from "../../text/local_minute";

/** State of the form fields; empty ones are not sent. */
export interface Terms {
  /** The value of a `datetime-local` input. */
  sunset: string;
  /** Id of a version. */
  successor: string;
  text: string;
}

export const NO_TERMS: Terms = { sunset: "", successor: "", text: "" };

export function termsOf({ sunset, successor, text }: Deprecation): Terms {
  return {
    sunset: sunset ? localMinute(sunset) : "",
    successor: successor?.id ?? "",
    text,
  };
}

/** Returns the terms of a deprecation that begins. */
export function newTerms({ sunset, successor, text }: Terms): Partial<Terms> {
  return {
    ...(sunset === "" ? {} : { sunset: timeOfLocalMinute(sunset) }),
    ...(successor === "" ? {} : { successor }),
    ...(text === "" ? {} : { text }),
  };
}

/** Returns the changed terms: an unchanged end may have passed, and would be refused. */
export function changedTerms(before: Terms, after: Terms): DeprecationPatch {
  const { sunset, successor, text } = after;
  const patch: DeprecationPatch = {};
  if (sunset !== before.sunset) patch.sunset = sunset === "" ? null : timeOfLocalMinute(sunset);
  if (successor !== before.successor) patch.successor = successor === "" ? null : successor;
  if (text !== before.text) patch.text = text;
  return patch;
}

/** What publishing a version does to older ones. */
export interface Older {
  /** Id of the version whose subscriptions move along. */
  from: string;
  /** Ids of the versions to deprecate. */
  deprecate: readonly string[];
}

export const NO_OLDER: Older = { from: "", deprecate: [] };

/** Returns the members of publishing for the subscriptions that move along. */
export function subscriptionsOf({ from }: Older): Pick<Move, "subscriptions" | "from"> {
  return from === "" ? {} : { subscriptions: "move", from };
}

/** Returns the members of a step that only its state has. */
export function optionsOf(to: State, terms: Terms, older: Older): Partial<Move> {
  if (to === "deprecated") return newTerms(terms);
  if (to !== "published") return {};
  const { deprecate } = older;
  return {
    ...subscriptionsOf(older),
    // The published version is their successor.
    ...(deprecate.length === 0
      ? {}
      : { deprecate: { versions: [...deprecate], ...newTerms({ ...terms, successor: "" }) } }),
  };
}
