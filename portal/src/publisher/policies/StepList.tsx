// A list of steps: rows that are added, moved by keyboard and mouse, folded, removed.

import { type DragEvent, useState } from "react";
import { text } from "../../text/text";
import { Announced } from "../../ui/Announced";
import { Button } from "../../ui/Button";
import { MenuButton } from "../../ui/MenuButton";
import { Note } from "../../ui/Note";
import { controlAt } from "../../ui/fault_places";
import styles from "./StepList.module.css";
import { type Dragging, type RowActions, StepRow } from "./StepRow";
import { GROUPS, type Kind, type Place, type PolicyWord, STEPS_MAX, policiesOf } from "./policies";
import { KEY, type StepFields, newStep } from "./step_fields";
import { dropPosition, duplicated, moved } from "./step_moves";
import { headId, useLateFocus } from "./use_late_focus";

const words = text.publisher.version.policies;
const UNDO = "undo-removal";

/** The steps that are unfolded, by their keys. */
export interface Folding {
  open: ReadonlySet<number>;
  setOpen: (open: ReadonlySet<number>) => void;
}

interface StepListProps extends Folding {
  place: Place;
  kind: Kind;
  steps: readonly StepFields[];
  /** JSON pointer of the list in the request. */
  pointer: string;
  onChange: (steps: readonly StepFields[]) => void;
}

interface Removed {
  step: StepFields;
  index: number;
}

export function StepList(props: StepListProps) {
  const { place, kind, steps, pointer, onChange, open, setOpen } = props;
  const [announcement, setAnnouncement] = useState("");
  const [removed, setRemoved] = useState<Removed | null>(null);
  const focusLate = useLateFocus();
  const focusRow = (key: number) => focusLate(() => document.getElementById(headId(key)));
  const move = (from: number, to: number) => {
    const step = steps[from];
    if (step === undefined || to < 0 || to >= steps.length) return;
    onChange(moved(steps, from, to));
    setAnnouncement(words.moved(words.of[step.policy].label, to + 1, steps.length));
  };
  const draggingOf = useDragging(move);
  const add = (policy: PolicyWord) => {
    const step = newStep(policy);
    onChange([...steps, step]);
    setOpen(new Set(open).add(step[KEY]));
    const at = `${pointer}/${steps.length}`;
    focusLate(() => controlAt(document, `${at}/${Object.keys(step.values)[0] ?? "if"}`));
  };
  const actionsOf = (step: StepFields, index: number): RowActions => ({
    change: (changed) => onChange(steps.with(index, changed)),
    move: (by, isByKey) => {
      move(index, index + by);
      const isAtEnd = [0, steps.length - 1].includes(index + by);
      const button = document.activeElement as HTMLElement | null;
      if (isByKey || isAtEnd) focusRow(step[KEY]);
      else focusLate(() => button);
    },
    duplicate: () => {
      const { steps: changed, key } = duplicated(steps, index);
      onChange(changed);
      if (open.has(step[KEY])) setOpen(new Set(open).add(key));
      focusRow(key);
    },
    remove: () => {
      onChange(steps.toSpliced(index, 1));
      setRemoved({ step, index });
      setAnnouncement(words.removed(index + 1, words.of[step.policy].label));
      focusLate(() => document.getElementById(UNDO));
    },
    toggle: () => {
      const next = new Set(open);
      if (!next.delete(step[KEY])) next.add(step[KEY]);
      setOpen(next);
    },
  });
  const undo = () => {
    if (removed === null) return;
    onChange(steps.toSpliced(removed.index, 0, removed.step));
    setRemoved(null);
    focusRow(removed.step[KEY]);
  };
  const groups = GROUPS.map((group) => ({
    title: words.groups[group],
    items: policiesOf(group, place, kind).map((id) => {
      const { label, meaning } = words.of[id];
      return { id, label, detail: meaning };
    }),
  }));
  const isFull = steps.length >= STEPS_MAX;
  return (
    <>
      <p className={styles["note"]}>
        {words.meanings[place]} {steps.length > 1 && words.keys}
      </p>
      {steps.length === 0 && <p className={styles["empty"]}>{words.empty}</p>}
      {steps.length > 0 && (
        <ol className={styles["list"]}>
          {steps.map((step, index) => (
            <StepRow
              key={step[KEY]}
              step={step}
              number={index + 1}
              count={steps.length}
              pointer={`${pointer}/${index}`}
              isOpen={open.has(step[KEY])}
              actions={actionsOf(step, index)}
              dragging={draggingOf(index)}
            />
          ))}
        </ol>
      )}
      {removed && <Removal removed={removed} isFull={isFull} onUndo={undo} />}
      <div className={styles["foot"]} data-field={pointer}>
        <MenuButton
          label={words.add}
          groups={groups.filter(({ items }) => items.length > 0)}
          onChoose={add}
          why={isFull ? words.tooMany : undefined}
        />
        {steps.length > 1 && <FoldButton steps={steps} open={open} setOpen={setOpen} />}
      </div>
      <Announced>{announcement}</Announced>
    </>
  );
}

interface RemovalProps {
  removed: Removed;
  isFull: boolean;
  onUndo: () => void;
}

function Removal({ removed: { step, index }, isFull, onUndo }: RemovalProps) {
  return (
    <Note
      tone="information"
      actions={
        <Button small id={UNDO} onPress={onUndo} why={isFull ? words.tooMany : undefined}>
          {words.undo}
        </Button>
      }
    >
      {words.removed(index + 1, words.of[step.policy].label)}
    </Note>
  );
}

function FoldButton({ steps, open, setOpen }: Folding & { steps: readonly StepFields[] }) {
  const keys = steps.map((step) => step[KEY]);
  const isAnyOpen = keys.some((key) => open.has(key));
  const others = [...open].filter((key) => !keys.includes(key));
  return (
    <Button
      small
      look="quiet"
      onPress={() => setOpen(new Set(isAnyOpen ? others : [...others, ...keys]))}
    >
      {isAnyOpen ? words.foldAll : words.unfoldAll}
    </Button>
  );
}

/** Moves by mouse: a step is dropped above or below the row under the pointer. */
function useDragging(move: (from: number, to: number) => void): (index: number) => Dragging {
  const [from, setFrom] = useState<number | null>(null);
  const [target, setTarget] = useState<{ at: number; edge: "above" | "below" } | null>(null);
  const end = () => {
    setFrom(null);
    setTarget(null);
  };
  return (index) => ({
    edge: target?.at === index && from !== index ? target.edge : undefined,
    start: () => setFrom(index),
    over: (event: DragEvent<HTMLElement>) => {
      if (from === null) return;
      event.preventDefault();
      const { top, height } = event.currentTarget.getBoundingClientRect();
      const edge = event.clientY < top + height / 2 ? "above" : "below";
      if (target?.at !== index || target.edge !== edge) setTarget({ at: index, edge });
    },
    drop: (event) => {
      event.preventDefault();
      if (from !== null && target !== null) move(from, dropPosition(from, target.at, target.edge));
      end();
    },
    end,
  });
}
