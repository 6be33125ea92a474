// Faults of steps. The API names a step by its position when it was sent; here a fault stays with
// its step while steps are moved, added and removed.

import type { Fault, Problem } from "../../api/problem";
import type { Noted } from "../versions/DraftForm";
import type { PolicyFields } from "./policy_fields";
import { PLACES, type Place } from "./policies";
import { KEY, type StepFields } from "./step_fields";

/** A step with its place. */
export interface PlacedStep {
  step: StepFields;
  place: Place;
  /** Its position in the list, from 0. */
  index: number;
  /** The override that it belongs to; undefined for all operations. */
  override: number | undefined;
  pointer: string;
}

/** Returns all steps with the JSON pointers of a request that has them. */
export function placedSteps({ lists, overrides }: PolicyFields): PlacedStep[] {
  const all = [
    { lists, override: undefined, at: "/policies" },
    ...overrides.map((it, index) => ({
      lists: it.lists,
      override: it[KEY],
      at: `/policies/operations/${index}`,
    })),
  ];
  return all.flatMap(({ lists: own, override, at }) =>
    PLACES.flatMap((place) =>
      own[place].map((step, index) => {
        const pointer = `${at}/${place}/${index}`;
        return { step, place, index, override, pointer };
      }),
    ),
  );
}

const IN_STEP = /^(\/policies(?:\/operations\/\d+)?\/(?:request|response|error)\/\d+)(\/.*)?$/;

/** Returns the step of a pointer, and the rest of the pointer. */
export function stepAt(steps: readonly PlacedStep[], pointer: string) {
  const [, of, rest = ""] = IN_STEP.exec(pointer) ?? [];
  const found = steps.find((it) => it.pointer === of);
  return found && { ...found, rest };
}

/** The key of the step that a fault belongs to, and the rest of its pointer. */
export type Pins = ReadonlyMap<string, { key: number; rest: string }>;

/** Ties faults to the steps that were sent. */
export function pinFaults(faults: readonly Fault[], fields: PolicyFields): Pins {
  const steps = placedSteps(fields);
  const pins = faults.flatMap(({ field }) => {
    const found = stepAt(steps, field);
    return found ? [[field, { key: found.step[KEY], rest: found.rest }] as const] : [];
  });
  return new Map(pins);
}

/** Returns the problem with its faults where their steps are now, without those of removed ones. */
export function rebased(problem: Problem, pins: Pins, fields: PolicyFields): Problem {
  return problem.at(placeOf(pins, fields));
}

/** Returns the notes on steps where these are now, without those of removed ones. */
export function notesNow(noted: Noted<PolicyFields>, fields: PolicyFields): readonly Fault[] {
  const ofPolicies = noted.notes.filter(({ field }) => field.startsWith("/policies"));
  const place = placeOf(pinFaults(ofPolicies, noted.fields), fields);
  const placed = ofPolicies.map((note) => ({ ...note, field: place(note.field) }));
  return placed.filter(({ field }) => field !== REMOVED);
}

const REMOVED = "/removed";

/** Returns a function from the field of a fault to the place where it is now. */
function placeOf(pins: Pins, fields: PolicyFields): (field: string) => string {
  const pointers = new Map(placedSteps(fields).map(({ step, pointer }) => [step[KEY], pointer]));
  return (field) => {
    const pin = pins.get(field);
    if (pin === undefined) return field;
    const pointer = pointers.get(pin.key);
    return pointer === undefined ? REMOVED : pointer + pin.rest;
  };
}

/** Returns the faults of policies that are listed above the steps. */
export function listedFaults(problem: Problem | null): readonly Fault[] {
  return (problem?.faults ?? []).filter(({ field }) => field.startsWith("/policies"));
}
