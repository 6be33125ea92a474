// Changes limits, scopes and credential of one operation, or of many at once.

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem";
import type { TaggedDraft } from "../../api/queries/versions";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { CheckboxGroup } from "../../ui/Checkbox";
import { Conflict } from "../../ui/Conflict";
import { Select } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { LimitsField } from "../../ui/LimitsField";
import { writeLimits } from "../../ui/limit_fields";
import { RadioGroup } from "../../ui/RadioGroup";
import { differencesOf } from "../../ui/differences";
import {
  type Mode,
  type OperationFields,
  changeOf,
  pointerInDialog,
  presentInWords,
  readOperations,
  wantedInWords,
} from "./operation_fields";
import { type OperationRow, changeOperations } from "./operation_rows";
import { readSecurity } from "./security_fields";
import { useDraftSave } from "./use_draft_save";
import type { Shown } from "./VersionFrame";

const words = text.publisher.version.operations;

interface OperationsDialogProps {
  shown: Shown;
  operations: readonly OperationRow[];
  onClose: () => void;
}

export function OperationsDialog({ shown, operations, onClose }: OperationsDialogProps) {
  const { id } = shown.version;
  // Later changes of the draft are detected on saving.
  const [base] = useState(shown.draft);
  const [before] = useState(() => readOperations(operations));
  const [fields, setFields] = useState(before);
  const keys = new Set(operations.map(({ key }) => key));
  const change = changeOf(fields);
  const present = ({ value }: TaggedDraft) => presentInWords(value, keys, change);
  const { save, theirs, setTheirs } = useDraftSave({
    id,
    write: (draft) => changeOperations(draft, keys, change),
    read: (draft) => presentInWords(draft, keys, change),
    onSaved: onClose,
  });
  if (theirs) {
    const [was, now] = [present(base), present(theirs)];
    const differences = differencesOf(now, wantedInWords(keys, change));
    return (
      <Conflict
        differences={differences.filter(({ path }) => was[path] !== now[path])}
        onKeep={() => save(theirs)}
        onTake={onClose}
        onClose={() => setTheirs(null)}
      />
    );
  }
  const submit = async () => {
    // Throws for limits that cannot be sent.
    writeLimits(fields.limits.list, "operation", "/limits");
    try {
      await save(base);
    } catch (error) {
      throw Problem.from(error).at(pointerInDialog);
    }
  };
  const [first, ...others] = operations;
  const isMany = others.length > 0;
  const isUnchanged = JSON.stringify(fields) === JSON.stringify(before);
  return (
    <FormDialog
      wide
      title={isMany ? words.editMany(count(operations.length)) : words.editOne(first?.key ?? "")}
      submit={text.ui.save}
      why={isUnchanged ? text.ui.noChanges : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      {isMany && <p>{named(operations)}</p>}
      <Fields shown={shown} isMany={isMany} fields={fields} onChange={setFields} />
    </FormDialog>
  );
}

/** Maximum number of operations that the dialog names. */
const NAMED_MAX = 5;

function named(operations: readonly OperationRow[]): string {
  const names = operations.slice(0, NAMED_MAX).map(({ key }) => key);
  const left = operations.length - names.length;
  return [...names, ...(left > 0 ? [words.andMore(count(left))] : [])].join(", ");
}

interface FieldsProps {
  shown: Shown;
  isMany: boolean;
  fields: OperationFields;
  onChange: (fields: OperationFields) => void;
}

function Fields({ shown: { api, version, draft }, isMany, fields, onChange }: FieldsProps) {
  const { limits, scopes } = fields;
  const { scopes: declared } = readSecurity(draft.value);
  const setLimits = (change: Partial<typeof limits>) =>
    onChange({ ...fields, limits: { ...limits, ...change } });
  const setScopes = (change: Partial<typeof scopes>) =>
    onChange({ ...fields, scopes: { ...scopes, ...change } });
  return (
    <>
      <Card title={words.limits} note={words.limitsNote}>
        {isMany && <ModeChoice label={words.limits} {...limits} onChange={setLimits} />}
        {limits.mode === "set" && (
          <LimitsField
            owner="operation"
            plans={version.plans?.map(({ name }) => name)}
            limits={limits.list}
            onChange={(list) => setLimits({ list })}
            pointer="/limits"
            empty={words.noLimits}
          />
        )}
      </Card>
      <Card title={words.scopes} note={words.scopesNote}>
        {isMany && <ModeChoice label={words.scopes} {...scopes} onChange={setScopes} />}
        {scopes.mode === "set" && declared.length > 0 && (
          <CheckboxGroup
            label={words.requiredScopes}
            value={scopes.list}
            onChange={(list) => setScopes({ list })}
            choices={declared.map(({ name, text }) => ({
              value: name,
              label: name,
              ...(text === "" ? {} : { detail: text }),
            }))}
            pointer="/scopes"
          />
        )}
        {scopes.mode === "set" && declared.length === 0 && (
          <p>
            {words.noScopes} <Link {...paths.versionSecurity(version.id)}>{words.toSecurity}</Link>
          </p>
        )}
      </Card>
      {fields.refused !== undefined && (
        <RadioGroup
          label={words.outside.label}
          value={fields.refused ? "refused" : "forwarded"}
          onChange={(handling) => onChange({ ...fields, refused: handling === "refused" })}
          choices={[
            {
              value: "forwarded",
              label: words.outside.forwarded,
              detail: words.outside.forwardedHint,
            },
            { value: "refused", label: words.outside.refused, detail: words.outside.refusedHint },
          ]}
        />
      )}
      {api.kind === "soap" ? (
        <p>{words.soapNeedsCredential}</p>
      ) : (
        <RadioGroup
          label={words.credential}
          value={fields.credential}
          onChange={(credential) => onChange({ ...fields, credential })}
          choices={[
            ...(isMany ? [{ value: "keep" as const, label: words.keepCredential }] : []),
            { value: "needed", label: words.needsCredential },
            { value: "anonymous", label: words.isAnonymous, detail: words.anonymousHint },
          ]}
          pointer="/anonymous"
        />
      )}
    </>
  );
}

interface ModeChoiceProps {
  label: string;
  mode: Mode;
  onChange: (change: { mode: Mode }) => void;
}

function ModeChoice({ label, mode, onChange }: ModeChoiceProps) {
  return (
    <Select<Mode>
      label={label}
      isLabelHidden
      value={mode}
      choices={[
        { value: "keep", label: words.keep },
        { value: "set", label: words.set },
        { value: "remove", label: words.remove },
      ]}
      onChange={(chosen) => onChange({ mode: chosen })}
    />
  );
}
