// The default version of an API, served without a version in the path: how a step changes it.

import type { DefaultChange } from "../../api/queries/impact";
import type { TriedMove } from "../../api/queries/lifecycle";
import type { VersionOverview } from "../../api/queries/overview";
import type { State, Version } from "../../api/queries/versions";
import { text } from "../../text/text";
import { successorsAmong } from "./use_siblings";

/** The default version stays. */
export const KEPT = "kept";
/** The API has no default version afterwards. */
export const NO_DEFAULT = "none";

/** The default version after a step: {@link KEPT}, {@link NO_DEFAULT} or the id of a version. */
export type NextDefault = string;

/** Returns the member of a step for the default version after it. */
export function defaultAfter(next: NextDefault): { default?: string | null } {
  if (next === KEPT) return {};
  return { default: next === NO_DEFAULT ? null : next };
}

/** Returns whether a step takes the default version off gateways. */
export const endsDefault = ({ is_default }: Pick<Version, "is_default">, to: State): boolean =>
  is_default && (to === "created" || to === "retired");

/** Returns the versions that can be the next default one: those that can be called. */
export const callableAmong = successorsAmong;

/** Proposes the default version after the present one: its successor, or the newest one. */
export function proposedDefault(
  siblings: readonly VersionOverview[],
  successor: string | undefined,
): NextDefault {
  const callable = callableAmong(siblings);
  const found = callable.find(({ version }) => version === successor) ?? callable[0];
  return found?.version ?? NO_DEFAULT;
}

/** Steps that end no subscription, from the states of versions with subscriptions. */
const HARMLESS: Partial<Record<State, TriedMove>> = {
  published: { to: "deprecated" },
  blocked: { to: "deprecated" },
  deprecated: { to: "published", without_tokens: true },
};

/**
 * Returns the step of the present default version to try without effect, which shows what another
 * default version changes; undefined if nobody is subscribed to the present one.
 */
export function stepWithDefault(
  { state }: Pick<VersionOverview, "state">,
  next: NextDefault,
): TriedMove | undefined {
  const step = HARMLESS[state];
  return step && { ...step, ...defaultAfter(next) };
}

const words = text.publisher.version.moves.default;

type DefaultVersion = NonNullable<DefaultChange["next"]>;

/** Describes the calls that a change refuses, of `n` applications without the next version. */
export function lackingInWords(
  n: string,
  previous: DefaultVersion,
  next: DefaultVersion | null | undefined,
): string {
  if (next) return words.lacking(n, previous.name, next.name);
  // Its state is that after the step: nobody can call a version that retires.
  const isCallable = callableAmong([previous]).length > 0;
  return (isCallable ? words.lackingPath : words.lackingAll)(n, previous.name);
}
