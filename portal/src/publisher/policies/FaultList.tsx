// Faults of the policies, or notes on them, each with a button that shows and focuses its field.

import type { Fault } from "../../api/problem";
import { text } from "../../text/text";
import { Note } from "../../ui/Note";
import { Sentence } from "../../ui/Sentence";
import styles from "./FaultList.module.css";
import { operationsText } from "./operation_names";
import { POLICIES } from "./policies";
import type { PolicyFields } from "./policy_fields";
import { KEY } from "./step_fields";
import { placedSteps, stepAt } from "./step_faults";

const words = text.publisher.version.policies;

interface FaultListProps {
  tone: "bad" | "warning";
  /** Returns the title of a number of faults. */
  title: (n: number) => string;
  faults: readonly Fault[];
  fields: PolicyFields;
  /** Shows the field with this JSON pointer. */
  onShow: (pointer: string) => void;
}

export function FaultList({ tone, title, faults, fields, onShow }: FaultListProps) {
  if (faults.length === 0) return null;
  const nameOf = namesOf(fields);
  return (
    <Note tone={tone}>
      <p>
        <strong>{title(faults.length)}</strong>
      </p>
      <ul className={styles["faults"]}>
        {faults.map(({ field, detail }) => (
          <li key={`${field} ${detail}`}>
            <button type="button" className={styles["fault"]} onClick={() => onShow(field)}>
              {nameOf(field)}
            </button>{" "}
            <Sentence>{detail}</Sentence>
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** Returns a function that names the place of a fault in words. */
function namesOf(fields: PolicyFields): (pointer: string) => string {
  const steps = placedSteps(fields);
  return (pointer) => {
    const found = stepAt(steps, pointer);
    if (!found) return otherName(pointer);
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

function otherName(pointer: string): string {
  if (pointer.startsWith("/policies/cors")) return words.cors.title;
  if (/^\/policies(\/operations\/\d+)?\/cache/.test(pointer)) return words.faults.cache;
  const place = /^\/policies\/(request|response|error)$/.exec(pointer)?.[1];
  if (place !== undefined) return words.places[place as "request"];
  return pointer.startsWith("/policies/operations") ? words.faults.operations : words.faults.other;
}
