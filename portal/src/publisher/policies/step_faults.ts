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
function pinFaults(faults: readonly Fault[], fields: PolicyFields): Pins {
  const steps = placedSteps(fields);
  const pins = faults.flatMap(({ field }) => {
    const found = stepAt(steps, field);
    return found ? [[field, { key: found.step[KEY], rest: found.rest }] as const] : [];
  });
  return new Map(pins);
}

/** The steps that problems are about, as they were when their faults were first shown. */
const pinned = new WeakMap<Problem, Pins>();

/** Returns the pins of a problem; the steps that were sent are those of the first call. */
export function pinsOf(problem: Problem, fields: PolicyFields): Pins {
  const known = pinned.get(problem);
  if (known) return known;
  const pins = pinFaults(problem.faults, fields);
  pinned.set(problem, pins);
  return pins;
}

/** Returns the problem with its faults where their steps are now, without those of removed ones. */
export function rebased(problem: Problem, fields: PolicyFields): Problem {
  return problem.at(placeOf(pinsOf(problem, fields), fields));
}

/** Returns the notes on steps where these are now, without those of removed ones. */
export function notesNow(noted: Noted<PolicyFields>, fields: PolicyFields): readonly Fault[] {
  const ofPolicies = noted.notes.filter(({ field }) => field.startsWith("/policies"));
  const place = placeOf(pinFaults(ofPolicies, noted.fields), fields);
  return ofPolicies.flatMap((note) => {
    const field = place(note.field);
    return field === undefined ? [] : [{ ...note, field }];
  });
}

/** Returns a function from the field of a fault to where it is now; undefined if it was removed. */
function placeOf(pins: Pins, fields: PolicyFields): (field: string) => string | undefined {
  const pointers = new Map(placedSteps(fields).map(({ step, pointer }) => [step[KEY], pointer]));
  return (field) => {
    const pin = pins.get(field);
    if (pin === undefined) return field;
    const pointer = pointers.get(pin.key);
    return pointer === undefined ? undefined : pointer + pin.rest;
  };
}
