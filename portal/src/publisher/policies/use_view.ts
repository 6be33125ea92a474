// What the page shows of the policies: a list of steps, and the step or field to look at.

import { useState } from "react";
import type { Place } from "./policies";
import type { PolicyFields } from "./policy_fields";
import { KEY } from "./step_fields";
import { placedSteps, stepAt } from "./step_faults";
import { controlAt, headId, useLateFocus } from "./use_late_focus";

export interface View {
  place: Place;
  setPlace: (place: Place) => void;
  /** The key of the shown override; undefined for all operations. */
  scope: number | undefined;
  setScope: (scope: number | undefined) => void;
  /** The step to unfold; each request is a new object. */
  opened: { key: number } | null;
  /** Shows and focuses the step or field with this JSON pointer. */
  show: (fields: PolicyFields, pointer: string) => void;
}

export function useView(): View {
  const [place, setPlace] = useState<Place>("request");
  const [scope, setScope] = useState<number>();
  const [opened, setOpened] = useState<View["opened"]>(null);
  const focusLate = useLateFocus();
  const show = (fields: PolicyFields, pointer: string) => {
    const found = stepAt(placedSteps(fields), pointer);
    if (!found) {
      const at = /^\/policies\/operations\/(\d+)/.exec(pointer)?.[1];
      const override = at === undefined ? undefined : fields.overrides[Number(at)];
      if (override) setScope(override[KEY]);
      focusLate(() => fieldAt(pointer));
      return;
    }
    setPlace(found.place);
    setScope(found.override);
    setOpened({ key: found.step[KEY] });
    const field = /^\/[^/]+/.exec(found.rest)?.[0];
    focusLate(() => {
      const control = field === undefined ? null : controlAt(found.pointer + field);
      return control ?? document.getElementById(headId(found.step[KEY]));
    });
  };
  return { place, setPlace, scope, setScope, opened, show };
}

/** Returns the control of a field, or of the field that contains the value. */
function fieldAt(pointer: string): HTMLElement | null {
  for (let at = pointer; at !== ""; at = at.replace(/\/[^/]*$/, "")) {
    const control = controlAt(at);
    if (control) return control;
  }
  return null;
}
