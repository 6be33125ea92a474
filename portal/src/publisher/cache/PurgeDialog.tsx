// Purges stored responses: all of a version, or those of operations, paths and tags.

import { useState } from "react";
import { Problem } from "../../api/problem";
import { type CacheSelector, purgeCache } from "../../api/queries/cache";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { FormDialog } from "../../ui/FormDialog";
import { notify, notifyProblem } from "../../ui/Notices";
import { RadioGroup } from "../../ui/RadioGroup";
import { OperationsPicker } from "../policies/OperationsPicker";
import { ListField } from "../policies/StepField";
import { linesOf } from "../policies/step_fields";

const words = text.publisher.version.cache.purge;

const EXAMPLES = { targets: "/orders/7", tags: "orders" };
type List = keyof typeof EXAMPLES;
const LISTS: readonly List[] = ["targets", "tags"];

interface PurgeDialogProps {
  version: string;
  operations: readonly string[];
  onClose: () => void;
}

export function PurgeDialog({ version, operations, onClose }: PurgeDialogProps) {
  const [isAll, setAll] = useState(true);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [lists, setLists] = useState({ targets: "", tags: "" });
  const hasLines = LISTS.some((it) => linesOf(lists[it]).length > 0);
  const isNothing = !isAll && chosen.length === 0 && !hasLines;
  const submit = async () => {
    const linesIn = (list: List) => (isAll ? [] : linesOf(lists[list]));
    const selector = {
      operations: isAll ? [] : [...chosen],
      targets: linesIn("targets"),
      tags: linesIn("tags"),
    };
    try {
      const { number } = await purgeCache(version, selector);
      notify(doneText(count(number), selector));
    } catch (error) {
      if (!Problem.from(error).isBehind) throw error;
      notifyProblem(error);
    }
    onClose();
  };
  return (
    <FormDialog
      title={words.title}
      submit={words.confirm}
      why={isNothing ? words.nothing : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <RadioGroup
        label={words.what}
        value={isAll ? "all" : "some"}
        choices={[
          { value: "all", label: words.all },
          { value: "some", label: words.some, detail: words.someHint },
        ]}
        onChange={(choice) => setAll(choice === "all")}
      />
      {!isAll && operations.length > 0 && (
        <OperationsPicker
          label={words.operations}
          operations={operations}
          chosen={chosen}
          onChange={setChosen}
          pointer="/operations"
        />
      )}
      {!isAll &&
        LISTS.map((list) => (
          <ListField
            key={list}
            label={words[list]}
            value={lists[list]}
            onChange={(lines) => setLists({ ...lists, [list]: lines })}
            pointer={`/${list}`}
            hint={words[`${list}Hint`]}
            placeholder={EXAMPLES[list]}
          />
        ))}
      <p>{words.effect}</p>
    </FormDialog>
  );
}

/** Describes a purge that was carried out. */
function doneText(number: string, { operations, targets, tags }: CacheSelector): string {
  const parts = [
    ...(operations.length > 0 ? [words.ofOperations(operations.length)] : []),
    ...(targets.length > 0 ? [words.ofTargets(targets.length)] : []),
    ...(tags.length > 0 ? [words.ofTags(tags.length)] : []),
  ];
  return parts.length === 0 ? words.doneAll(number) : words.doneSome(number, parts.join(", "));
}
