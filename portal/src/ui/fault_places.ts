// The fields of faults. A field has the JSON pointer of its value in the request (`data-field`) and
// its label (`data-label`); groups of fields have labels, too.

import type { Fault } from "../api/problem";

/** The attributes by which a field is found. */
export function fieldAttributes(pointer: string | undefined, label?: string) {
  return {
    ...(pointer === undefined ? {} : { "data-field": pointer }),
    ...(label === undefined ? {} : { "data-label": label }),
  };
}

/** A fault and the name of its field; undefined if no field within the form has it. */
export interface NamedFault {
  fault: Fault;
  name: string | undefined;
}

/** Returns the field with a JSON pointer, or the innermost one that contains its value. */
export function fieldAt(within: ParentNode, pointer: string): HTMLElement | null {
  const fieldOf = (at: string) =>
    within.querySelector<HTMLElement>(`[data-field="${CSS.escape(at)}"]`);
  let at = pointer;
  let field = fieldOf(at);
  while (!field && at.includes("/")) {
    at = at.slice(0, at.lastIndexOf("/"));
    field = fieldOf(at);
  }
  return field;
}

/** Names the fields of faults, in the order of the page; faults without a field are last. */
export function nameFaults(form: HTMLElement, faults: readonly Fault[]): NamedFault[] {
  const placed = faults.map((fault) => ({ fault, field: fieldAt(form, fault.field) }));
  const order = ({ field }: { field: HTMLElement | null }, other: typeof field) => {
    if (!field || !other) return Number(!field) - Number(!other);
    const isBefore = field.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    return field === other ? 0 : isBefore ? -1 : 1;
  };
  const sorted = placed.toSorted((one, other) => order(one, other.field));
  return sorted.map(({ fault, field }) => ({
    fault,
    name: field ? nameOf(field, form) : undefined,
  }));
}

/** Returns the labels of a field and of the groups around it. */
function nameOf(field: HTMLElement, form: HTMLElement): string {
  const labels: string[] = [];
  for (let at: HTMLElement | null = field; at && at !== form; at = at.parentElement) {
    const { label } = at.dataset;
    if (label !== undefined && label !== labels[0]) labels.unshift(label);
  }
  return labels.join(", ") || (field.dataset["field"] ?? "");
}

/** Focuses a control, and unfolds and scrolls to it. */
export function showControl(control: HTMLElement): void {
  for (let at = control.closest("details"); at; at = at.parentElement?.closest("details") ?? null) {
    at.open = true;
  }
  control.focus({ preventScroll: true });
  // The label is above the control.
  control.closest("[data-label]")?.scrollIntoView({ block: "nearest" });
  control.scrollIntoView({ block: "nearest" });
}

const INPUTS = 'input:not([tabindex="-1"]), textarea';
const FAULTY = ':is(input, textarea, button)[aria-invalid="true"]';

/**
 * Returns the control of the field with a JSON pointer: the one with a fault, else the first one.
 * Inputs come before buttons, because a group may begin with a button that removes it.
 */
export function controlAt(within: ParentNode, pointer: string): HTMLElement | null {
  const field = fieldAt(within, pointer);
  const find = (selector: string) => field?.querySelector<HTMLElement>(selector) ?? null;
  return find(FAULTY) ?? find(INPUTS) ?? find("button");
}
