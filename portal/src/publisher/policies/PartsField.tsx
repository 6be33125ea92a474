// A field with several lines of parts: headers by name, texts and replacements, edits of JSON.

import { useId } from "react";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Select, TextField, useOwnFault } from "../../ui/Field";
import styles from "./PartsField.module.css";
import { EMPTY_PARTS, type Parts } from "./step_fields";

const words = text.publisher.version.policies;
type Kind = keyof typeof EMPTY_PARTS;

interface PartsFieldProps {
  kind: Kind;
  label: string;
  hint?: string | undefined;
  value: readonly Parts[];
  pointer: string;
  onChange: (value: readonly Parts[]) => void;
}

const ADD: Readonly<Record<Kind, string>> = {
  map: words.pairs.addName,
  replacements: words.pairs.addPair,
  edits: words.edits.add,
};

export function PartsField({ kind, label, hint, value, pointer, onChange }: PartsFieldProps) {
  const add = useId();
  const fault = useOwnFault(pointer);
  const set = (index: number, parts: Parts) =>
    onChange(value.map((it, at) => (at === index ? parts : it)));
  const remove = (index: number) => {
    onChange(value.filter((_, at) => at !== index));
    // The pressed button disappears with its line.
    document.getElementById(add)?.focus();
  };
  return (
    <div className={styles["field"]} role="group" aria-label={label}>
      <div className={styles["label"]}>{label}</div>
      {hint !== undefined && <div className={styles["hint"]}>{hint}</div>}
      {fault !== undefined && <div className={styles["fault"]}>{fault}</div>}
      {value.map((parts, index) => (
        <div key={index} className={styles["line"]}>
          <Inputs
            kind={kind}
            parts={parts}
            pointer={`${pointer}/${kind === "map" ? tokenOf(parts["name"] ?? "") : index}`}
            onChange={(changed) => set(index, changed)}
          />
          <Button small aria-label={words.pairs.remove(index + 1)} onPress={() => remove(index)}>
            {words.remove}
          </Button>
        </div>
      ))}
      <div>
        <Button small id={add} onPress={() => onChange([...value, EMPTY_PARTS[kind]])}>
          {ADD[kind]}
        </Button>
      </div>
    </div>
  );
}

/** Returns a name as a token of a JSON pointer (RFC 6901, section 3). */
const tokenOf = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

interface InputsProps {
  kind: Kind;
  parts: Parts;
  pointer: string;
  onChange: (parts: Parts) => void;
}

function Inputs({ kind, parts, pointer, onChange }: InputsProps) {
  if (kind === "edits") return <EditInputs parts={parts} pointer={pointer} onChange={onChange} />;
  const names = kind === "map" ? (["name", "value"] as const) : (["from", "to"] as const);
  return names.map((name) => (
    <TextField
      key={name}
      label={words.pairs[name]}
      value={parts[name] ?? ""}
      onChange={(typed) => onChange({ ...parts, [name]: typed })}
      // Entries of an object have one pointer for both inputs.
      {...(name === "name" ? {} : { pointer: name === "value" ? pointer : `${pointer}/${name}` })}
      lines={parts[name]?.includes("\n") ? 2 : 1}
      mono
    />
  ));
}

type EditKind = keyof typeof words.edits.kinds;
const EDIT_KINDS = Object.keys(words.edits.kinds) as EditKind[];

/** The second member of each edit. */
const SECOND: Readonly<Record<EditKind, "value" | "to" | undefined>> = {
  set: "value",
  remove: undefined,
  rename: "to",
};

function EditInputs({ parts, pointer, onChange }: Omit<InputsProps, "kind">) {
  const kind = EDIT_KINDS.find((it) => parts[it] !== undefined) ?? "set";
  const second = SECOND[kind];
  const fault = useOwnFault(pointer);
  const choose = (chosen: EditKind) => {
    const member = SECOND[chosen];
    onChange({ [chosen]: parts[kind] ?? "", ...(member === undefined ? {} : { [member]: "" }) });
  };
  return (
    <>
      <Select<EditKind>
        label={words.edits.kind}
        value={kind}
        choices={EDIT_KINDS.map((value) => ({ value, label: words.edits.kinds[value] }))}
        onChange={choose}
        fault={fault}
      />
      <TextField
        label={words.edits.path}
        value={parts[kind] ?? ""}
        onChange={(typed) => onChange({ ...parts, [kind]: typed })}
        pointer={`${pointer}/${kind}`}
        placeholder="$.a.b"
        mono
      />
      {second !== undefined && (
        <TextField
          label={second === "to" ? words.edits.to : words.edits.value}
          value={parts[second] ?? ""}
          onChange={(typed) => onChange({ ...parts, [second]: typed })}
          pointer={`${pointer}/${second}`}
          {...(second === "value" ? { placeholder: "body.x" } : {})}
          mono
        />
      )}
    </>
  );
}
