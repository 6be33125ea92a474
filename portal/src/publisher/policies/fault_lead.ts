// Names the fields of policies in words, and leads from faults to them: a field is in the list of
// steps of a tab, for all or some operations.

import { text } from "../../text/text";
import type { Lead } from "../../ui/Form";
import { operationsText } from "./operation_names";
import { POLICIES } from "./policies";
import type { PolicyFields } from "./policy_fields";
import { KEY } from "./step_fields";
import { placedSteps, rebased, stepAt } from "./step_faults";
import type { View } from "./use_view";

const words = text.publisher.version.policies;

export function leadOf(fields: PolicyFields, view: View): Lead {
  return {
    follow: (problem) => rebased(problem, fields),
    nameOf: stepNames(fields),
    show: (pointer) => view.show(fields, pointer),
  };
}

/** Returns a function that names every place of policies. */
export function placeNames(fields: PolicyFields): (pointer: string) => string {
  const nameOf = stepNames(fields);
  return (pointer) => {
    if (pointer.startsWith("/policies/cors")) return words.cors.title;
    return nameOf(pointer) ?? (OF_CACHE.test(pointer) ? words.faults.cache : words.faults.other);
  };
}

const OF_CACHE = /^\/policies(\/operations\/\d+)?\/cache(\/|$)/;

/** Returns a function that names the places of steps; undefined for those of other fields. */
function stepNames(fields: PolicyFields): (pointer: string) => string | undefined {
  const steps = placedSteps(fields);
  return (pointer) => {
    const found = stepAt(steps, pointer);
    if (!found) return listName(pointer);
    const { step, place, index, override, rest } = found;
    const { label, fields: own } = words.of[step.policy];
    const name = rest.split("/")[1];
    const isField = POLICIES[step.policy].fields.some((it) => it.name === name);
    const field = name === "if" ? words.condition.label : isField && name && own[name]?.label;
    const where = words.faults.at(words.places[place], index + 1, label);
    const at = field ? `${where}, ${field}` : where;
    const operations = fields.overrides.find((it) => it[KEY] === override)?.operations;
    return operations ? words.faults.of(operationsText(operations), at) : at;
  };
}

function listName(pointer: string): string | undefined {
  if (OF_CACHE.test(pointer)) return undefined;
  const place = /^\/policies\/(request|response|error)$/.exec(pointer)?.[1];
  if (place !== undefined) return words.places[place as "request"];
  return pointer.startsWith("/policies/operations") ? words.faults.operations : undefined;
}
