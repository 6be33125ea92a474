// What the page shows of the policies: a list of steps, and the step or field to look at.

import { useState } from "react";
import type { Place } from "./policies";
import type { PolicyFields } from "./policy_fields";
import { KEY } from "./step_fields";
import { placedSteps, stepAt } from "./step_faults";
import { controlAt, fieldAt } from "../../ui/fault_places";
import { headId, useLateFocus } from "./use_late_focus";

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
      const list = /\/(request|response|error)$/.exec(pointer)?.[1];
      if (override || list) setScope(override?.[KEY]);
      if (list) setPlace(list as Place);
      focusLate(() => controlAt(document, pointer));
      return;
    }
    setPlace(found.place);
    setScope(found.override);
    setOpened({ key: found.step[KEY] });
    focusLate(() => {
      const field = fieldAt(document, pointer);
      const isOfStep = field?.dataset["field"]?.startsWith(found.pointer) ?? false;
      return isOfStep
        ? controlAt(document, pointer)
        : document.getElementById(headId(found.step[KEY]));
    });
  };
  return { place, setPlace, scope, setScope, opened, show };
}
