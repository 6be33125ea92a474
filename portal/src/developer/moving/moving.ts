// Whether an application can move to the successor of a deprecated version, and what breaks then.

import type { CallerDifference, Deprecation, Successor } from "../../api/queries/catalogue";
import type { Subscription } from "../../api/queries/subscriptions";
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

type Known = Pick<Subscription, "application" | "version">;

/** Checks whether the application of a subscription has one to the successor too. */
export function isMoved({ application }: Movable, successor: Successor, all: readonly Known[]) {
  return all.some((it) => it.application === application && it.version === successor.id);
}

/** Checks whether an active subscription can be followed by one to the successor. */
export function mayMove(subscription: Movable, successor: Successor, all: readonly Known[]) {
  const isOpen = subscription.status === "active" && successor.state === "published";
  return isOpen && !isMoved(subscription, successor, all);
}

/** Returns the successor of a version that was deprecated, if it is named. */
export const successorOf = (deprecation: Deprecation | null | undefined): Successor | undefined =>
  deprecation?.successor ?? undefined;

/** A change with its operation, if it has one. */
export interface CallerChange {
  method?: string;
  name?: string;
  sentence: string;
}

export interface CallerChanges {
  breaking: CallerChange[];
  /** Those that may break calls. */
  unjudged: CallerChange[];
}

/** Returns the changes that break calls, or may. */
export function callerChanges({ document, contract }: CallerDifference): CallerChanges {
  const { removed = [], changed = [], document: general = [] } = document ?? {};
  const placed = [...removed, ...changed].flatMap(({ method, path, changes }) =>
    changes.map((change) => ({ ...change, method, name: path })),
  );
  const all = [...placed, ...general];
  const operations = contract ?? [];
  const gone = operations.filter(({ change }) => change === "removed");
  const other = operations.filter(({ change }) => change === "changed");
  return {
    breaking: [
      ...all.filter(({ breaking }) => breaking != null),
      ...gone.map(({ operation }) => ({ name: operation, sentence: words.removed })),
    ],
    unjudged: [
      ...all.filter(({ breaking, judged }) => breaking == null && !judged),
      ...other.flatMap(({ operation, reasons = [] }) =>
        reasons.map((sentence) => ({ name: operation, sentence })),
      ),
    ],
  };
}
