// The editor of a version's policies: notes, the steps for all or some operations, CORS.

import { useState } from "react";
import type { Problem } from "../../api/problem";
import type { Configuration } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Faults, useProblem } from "../../ui/Field";
import { PanelTabs } from "../../ui/PanelTabs";
import type { Noted } from "../versions/DraftForm";
import { AsideCard } from "./AsideCard";
import { CorsCard } from "./CorsCard";
import { ExpressionNames } from "./ExpressionNames";
import { NoteList } from "./NoteList";
import { ScopeBar } from "./ScopeBar";
import { StepList } from "./StepList";
import { operationNames } from "./operation_names";
import type { Lists, PolicyFields } from "./policy_fields";
import { type Kind, PLACES, type Place } from "./policies";
import { KEY } from "./step_fields";
import { notesNow, pinsOf, rebased } from "./step_faults";
import type { View } from "./use_view";

const words = text.publisher.version.policies;

interface PolicyEditorProps {
  kind: Kind;
  draft: Configuration;
  fields: PolicyFields;
  onChange: (fields: Partial<PolicyFields>) => void;
  /** The faults of the last dry run. */
  tried: Problem | null;
  /** The notes on the draft as it was saved last. */
  noted: Noted<PolicyFields>;
  view: View;
}

export function PolicyEditor(props: PolicyEditorProps) {
  const { kind, draft, fields, onChange, tried, noted, view } = props;
  const { place, setPlace, scope, setScope, opened, show } = view;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [seen, setSeen] = useState(opened);
  if (opened !== seen) {
    setSeen(opened);
    if (opened) setOpen(new Set(open).add(opened.key));
  }
  const problem = useLatestProblem(tried, fields, (keys) => setOpen(new Set([...open, ...keys])));
  const at = fields.overrides.findIndex((it) => it[KEY] === scope);
  const override = fields.overrides[at];
  const lists = override?.lists ?? fields.lists;
  const pointer = override ? `/policies/operations/${at}` : "/policies";
  const setLists = (changed: Lists) => {
    if (!override) onChange({ lists: changed });
    else onChange({ overrides: fields.overrides.with(at, { ...override, lists: changed }) });
  };
  const tabs = PLACES.map((it) => ({
    id: it,
    label: `${words.places[it]} ${lists[it].length}`,
    panel: (
      <StepList
        key={`${scope ?? "all"} ${it}`}
        place={it}
        kind={kind}
        steps={lists[it]}
        pointer={`${pointer}/${it}`}
        onChange={(steps) => setLists({ ...lists, [it]: steps })}
        open={open}
        setOpen={setOpen}
      />
    ),
  }));
  return (
    <Faults value={problem}>
      <NoteList
        notes={notesNow(noted, fields)}
        fields={fields}
        onShow={(pointer) => show(fields, pointer)}
      />
      <Card title={words.title} note={words.note}>
        <ScopeBar
          operations={operationNames(draft)}
          lists={fields.lists}
          overrides={fields.overrides}
          onChange={(overrides) => onChange({ overrides })}
          chosen={scope}
          onChoose={setScope}
        />
        <PanelTabs
          label={words.places.label}
          chosen={place}
          onChoose={(id) => setPlace(id as Place)}
          tabs={tabs}
        />
        <ExpressionNames />
      </Card>
      <AsideCard aside={fields.aside} onChange={(aside) => onChange({ aside })} />
      <CorsCard cors={fields.cors} onChange={(cors) => onChange({ cors })} />
    </Faults>
  );
}

interface Latest {
  saved: Problem | null;
  tried: Problem | null;
  /** The later of the two. */
  problem: Problem | null;
}

/** Returns the problem of the last save or dry run, with its faults where their steps are now. */
function useLatestProblem(
  tried: Problem | null,
  fields: PolicyFields,
  onFaults: (steps: number[]) => void,
): Problem | null {
  const saved = useProblem();
  const [latest, setLatest] = useState<Latest>({ saved: null, tried: null, problem: null });
  if (saved !== latest.saved || tried !== latest.tried) {
    const problem = saved === latest.saved ? tried : saved;
    setLatest({ saved, tried, problem });
    const pins = problem ? [...pinsOf(problem, fields).values()] : [];
    if (pins.length > 0) onFaults(pins.map(({ key }) => key));
  }
  return latest.problem && rebased(latest.problem, fields);
}
