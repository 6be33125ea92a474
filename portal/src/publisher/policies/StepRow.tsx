// A step as a row: its position, policy, what it does and its condition. Unfolded, its fields.

import { type DragEvent, type KeyboardEvent, useRef } from "react";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { useFaults } from "../../ui/Field";
import { Icon } from "../../ui/Icon";
import { StepForm } from "./StepForm";
import styles from "./StepRow.module.css";
import { KEY, type StepFields } from "./step_fields";
import { summaryOf } from "./summaries";
import { headId } from "./use_late_focus";

const words = text.publisher.version.policies;

/** What can be done with a row of the list. */
export interface RowActions {
  change: (step: StepFields) => void;
  /** Moves it by one place; `isByKey` keeps the focus on the row instead of the button. */
  move: (by: -1 | 1, isByKey: boolean) => void;
  duplicate: () => void;
  remove: () => void;
  toggle: () => void;
}

export interface Dragging {
  /** Where a dragged step would be inserted: above or below this row. */
  edge: "above" | "below" | undefined;
  start: () => void;
  over: (event: DragEvent<HTMLElement>) => void;
  drop: (event: DragEvent<HTMLElement>) => void;
  end: () => void;
}

interface StepRowProps {
  step: StepFields;
  /** From 1. */
  number: number;
  count: number;
  pointer: string;
  isOpen: boolean;
  actions: RowActions;
  dragging: Dragging;
}

export function StepRow(props: StepRowProps) {
  const { step, number, count, pointer, isOpen, actions, dragging } = props;
  const row = useRef<HTMLLIElement>(null);
  const hasFault = useFaults(pointer).length > 0;
  const { label } = words.of[step.policy];
  const head = headId(step[KEY]);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : undefined;
    if (by === undefined || !event.altKey) return;
    event.preventDefault();
    actions.move(by, true);
  };
  return (
    <li
      ref={row}
      className={styles["row"]}
      data-edge={dragging.edge}
      data-open={isOpen || undefined}
      data-fault={hasFault || undefined}
      onDragOver={dragging.over}
      onDrop={dragging.drop}
    >
      <div className={styles["head"]}>
        <span
          className={styles["grip"]}
          title={words.drag}
          aria-hidden="true"
          draggable
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = "move";
            event.dataTransfer.setData("text/plain", label);
            if (row.current) event.dataTransfer.setDragImage(row.current, 12, 12);
            dragging.start();
          }}
          onDragEnd={dragging.end}
        >
          <Icon name="grip" />
        </span>
        <button
          type="button"
          id={head}
          className={styles["toggle"]}
          aria-expanded={isOpen}
          onClick={actions.toggle}
          onKeyDown={onKeyDown}
        >
          <span className={styles["number"]}>{number}</span>
          <span className={styles["what"]}>
            <Summary step={step} />
          </span>
        </button>
        <Buttons label={label} number={number} count={count} actions={actions} />
      </div>
      {isOpen && (
        <div role="group" aria-labelledby={head}>
          <StepForm step={step} pointer={pointer} onChange={actions.change} />
        </div>
      )}
    </li>
  );
}

function Summary({ step }: { step: StepFields }) {
  const summary = summaryOf(step);
  return (
    <>
      <span className={styles["label"]}>{words.of[step.policy].label}</span>{" "}
      {summary !== "" && <code>{summary}</code>}
      {step.condition !== "" && (
        <span className={styles["condition"]}>
          {" "}
          {words.condition.short} <code>{step.condition}</code>
        </span>
      )}
    </>
  );
}

interface ButtonsProps {
  label: string;
  number: number;
  count: number;
  actions: RowActions;
}

function Buttons({ label, number, count, actions }: ButtonsProps) {
  const named = (action: string) => words.actionOn(action, number, label);
  return (
    <div className={styles["buttons"]}>
      <Button
        small
        look="quiet"
        aria-label={named(words.up)}
        isDisabled={number === 1}
        onPress={() => actions.move(-1, false)}
      >
        <Icon name="up" />
      </Button>
      <Button
        small
        look="quiet"
        aria-label={named(words.down)}
        isDisabled={number === count}
        onPress={() => actions.move(1, false)}
      >
        <Icon name="down" />
      </Button>
      <Button small look="quiet" aria-label={named(words.duplicate)} onPress={actions.duplicate}>
        <Icon name="copy" />
      </Button>
      <Button small look="quiet" aria-label={named(words.remove)} onPress={actions.remove}>
        <Icon name="close" />
      </Button>
    </div>
  );
}
