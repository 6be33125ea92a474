// Whether an application can move to the successor of a deprecated version, and what breaks then.

import type { CallerDifference, Deprecation, Successor } from "../../api/queries/catalogue";
import type { Subscription } from "../../api/queries/subscriptions";
import { type PlacedChange, changesByEffect, changesOf } from "../../text/document_changes";
import { text } from "../../text/text";

const words = text.moving;

/** A subscription that may move. */
export type Movable = Pick<
  Subscription,
  | "application"
  | "application_name"
  | "api_name"
  | "version"
  | "version_name"
  | "plan"
  | "plan_name"
  | "plan_title"
  | "status"
  | "scopes"
>;

/** What is known of a subscription that may be to the successor. */
export type Known = Pick<Subscription, "application" | "version" | "status">;

/** Returns the status of the application's subscription to the successor; undefined without one. */
export function statusOfMove(
  { application }: Movable,
  successor: Successor,
  all: readonly Known[],
) {
  return all.find((it) => it.application === application && it.version === successor.id)?.status;
}

/** Checks whether an active subscription can be followed by one to the successor. */
export function mayMove(subscription: Movable, successor: Successor, all: readonly Known[]) {
  const isOpen = subscription.status === "active" && successor.state === "published";
  return isOpen && statusOfMove(subscription, successor, all) === undefined;
}

/** Returns the successor of a version that was deprecated, if it is named. */
export const successorOf = (deprecation: Deprecation | null | undefined): Successor | undefined =>
  deprecation?.successor ?? undefined;

/** A change with its operation, if it has one. */
export interface CallerChange {
  method?: string | undefined;
  name?: string | undefined;
  sentence: string;
}

export interface CallerChanges {
  breaking: CallerChange[];
  /** Those that may break calls. */
  unjudged: CallerChange[];
  /** Whether changes are missing because there are too many. */
  isTruncated: boolean;
}

/** Returns the changes that break calls, or may. */
export function callerChanges({ document, contract }: CallerDifference): CallerChanges {
  const described = changesByEffect(document ? changesOf(document) : []);
  const named = ({ path, ...change }: PlacedChange) => ({ ...change, name: path });
  const operations = contract ?? [];
  const gone = operations.filter(({ change }) => change === "removed");
  const other = operations.filter(({ change }) => change === "changed");
  return {
    breaking: [
      ...described.breaking.map(named),
      ...gone.map(({ operation }) => ({ name: operation, sentence: words.removed })),
    ],
    unjudged: [
      ...described.unjudged.map(named),
      ...other.flatMap(({ operation, reasons = [] }) =>
        reasons.map((sentence) => ({ name: operation, sentence })),
      ),
    ],
    isTruncated: document?.truncated ?? false,
  };
}

/** Checks whether no change is known to break calls, nor may. */
export const breaksNothing = ({ breaking, unjudged, isTruncated }: CallerChanges): boolean =>
  breaking.length === 0 && unjudged.length === 0 && !isTruncated;
