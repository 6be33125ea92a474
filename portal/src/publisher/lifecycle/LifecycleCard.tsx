// The lifecycle as a picture: states are boxes, and the steps from the present state are buttons on
// their arrows, each with its effect. Where there is no room for a picture it is a list.

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { impactOfMove } from "../../api/queries/lifecycle";
import { STATES } from "../../api/queries/overview";
import { type State, history } from "../../api/queries/versions";
import { count, dateTime, shortDay } from "../../text/format";
import { text } from "../../text/text";
import { Button, type Look } from "../../ui/Button";
import { Card } from "../../ui/Card";
import type { Shown } from "../versions/VersionFrame";
import { EDGES, type Edge, edgeBetween, fateOf, needsOf } from "./arrows";
import { KEPT, NO_DEFAULT, defaultAfter, endsDefault } from "./default_version";
import styles from "./LifecycleCard.module.css";
import { Needs } from "./Needs";

const words = text.publisher.version.lifecycle;
const moves = text.publisher.version.moves;

interface LifecycleCardProps {
  shown: Shown;
  onMove: (to: State) => void;
}

export function LifecycleCard({ shown, onMove }: LifecycleCardProps) {
  const { version } = shown;
  const since = useSince(shown);
  return (
    <Card title={words.title} note={words.states[version.state]}>
      <div className={styles["frame"]}>
        <ol className={styles["picture"]} aria-label={words.title}>
          {STATES.map((state) => (
            <li key={state} className={styles["state"]}>
              <Box
                state={state}
                isPresent={state === version.state}
                since={state === version.state ? since : undefined}
              />
              {version.next_states.includes(state) && <Arrow {...{ shown, onMove }} to={state} />}
            </li>
          ))}
          {EDGES.map((edge) => (
            <Line key={nameOf(edge)} edge={edge} present={version.state} />
          ))}
        </ol>
      </div>
    </Card>
  );
}

/** Returns the time when the version entered its state. */
function useSince({ version: { id, state, created_at } }: Shown): string | undefined {
  const { data: steps } = useQuery(history(id));
  if (steps === undefined) return undefined;
  return steps.findLast(({ from, to }) => to === state && from !== to)?.at ?? created_at;
}

interface BoxProps {
  state: State;
  isPresent: boolean;
  /** When the version entered it; absent for other states. */
  since: string | undefined;
}

function Box({ state, isPresent, since }: BoxProps) {
  return (
    <div
      className={styles["box"]}
      data-state={state}
      data-present={isPresent || undefined}
      aria-current={isPresent ? "step" : undefined}
    >
      <span className={styles["name"]}>{text.nouns.states[state]}</span>
      {since !== undefined && (
        <time className={styles["since"]} dateTime={since} title={dateTime(since)}>
          {shortDay(since)}
        </time>
      )}
    </div>
  );
}

interface ArrowProps extends LifecycleCardProps {
  to: State;
}

/** A step from the present state: its button, and its effect. */
function Arrow({ shown: { version, draft }, to, onMove }: ArrowProps) {
  const effectId = useId();
  const needs = needsOf(to, { version, draft: draft.value });
  const ending = useEnding(version, to);
  const edge = edgeBetween(version.state, to);
  const { button, confirm, effect } = moves[to];
  return (
    <>
      <div className={styles["arrow"]} data-edge={edge && nameOf(edge)}>
        <Button
          small
          look={lookOf(version.state, to)}
          isDisabled={needs.length > 0}
          aria-describedby={effectId}
          onPress={() => onMove(to)}
        >
          {button}
        </Button>
      </div>
      <div className={styles["effect"]} id={effectId}>
        <b>{words.colon(confirm)}</b>
        {ending}
        {effect}
        {needs.length > 0 && (
          <div>
            {words.first} <Needs version={version.id} needs={needs} />
          </div>
        )}
      </div>
    </>
  );
}

/** Returns what a step means for the version's subscriptions, in words with counts. */
function useEnding(version: Shown["version"], to: State): string {
  const { id, state, next_states, is_default } = version;
  const fate = fateOf(state, to);
  // The counts are the same for every step; this one has no conditions.
  const step = next_states.find((next) => next !== "published") ?? to;
  const move = { to: step, ...defaultAfter(endsDefault({ is_default }, step) ? NO_DEFAULT : KEPT) };
  const { data } = useQuery({ ...impactOfMove(id, move), enabled: fate !== undefined });
  if (fate === undefined || !data?.subscriptions) return "";
  return words.fates[fate](count(data.subscriptions), count(data.applications));
}

function lookOf(from: State, to: State): Look {
  if (fateOf(from, to) === "end" || to === "blocked") return "danger";
  return to === "published" && from !== "deprecated" ? "primary" : "plain";
}

/** A line of the picture; those that leave the present state end at the state they lead to. */
function Line({ edge, present }: { edge: Edge; present: State }) {
  const { from, to, isTwoWay } = edge;
  const isActive = from === present || (isTwoWay && to === present);
  const heads = isActive ? (from === present ? "to" : "from") : isTwoWay ? "both" : "to";
  return (
    <li
      aria-hidden="true"
      className={styles["line"]}
      data-edge={nameOf(edge)}
      data-heads={heads}
      data-active={isActive || undefined}
    />
  );
}

const nameOf = ({ from, to }: Edge) => `${from}-${to}`;
