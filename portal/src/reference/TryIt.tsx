import { useState } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { currentSession } from "../api/session";
import { paths } from "../paths";
import { SignInLink } from "../shell/SignInLink";
import { bytes } from "../text/format";
import { text } from "../text/text";
import { Button, ButtonLink } from "../ui/Button";
import { Card } from "../ui/Card";
import { Actions } from "../ui/Dialog";
import { Select, TextField } from "../ui/Field";
import { ProblemNote } from "../ui/ProblemNote";
import { AnswerView } from "./AnswerView";
import { BodyField } from "./BodyField";
import { NoAnswer } from "./NoAnswer";
import { isJson } from "./document/body";
import { inline } from "./document/narrow";
import { type Operation, type Parameter, keyOf } from "./document/operations";
import { givenOf } from "./document/sample";
import { jsonFault } from "./json_fault";
import { isBrowsersOwn, readingOf } from "./request";
import { curlOf } from "./snippets/credentials";
import type { Calling } from "./use_calling";
import { type Draft, NOBODY } from "./use_draft";
import styles from "./TryIt.module.css";

const words = text.reference.tryIt;

interface TryItProps {
  entry: CatalogueEntry;
  document: unknown;
  operation: Operation;
  draft: Draft;
  calling: Calling;
}

/** Calls the gateway from the page, with what it makes for that and keeps to itself. */
export function TryIt({ entry, document, operation, draft, calling }: TryItProps) {
  const [isChecked, setChecked] = useState(false);
  const { caller, environment, filled } = draft;
  const badBody = bodyFaultOf(draft);
  const send = () => {
    setChecked(true);
    const faults = filled.faults.size + draft.formFaults.size;
    if (faults > 0 || badBody !== undefined) return;
    const { version } = entry;
    const trying = caller && { version, application: caller.application, environment };
    void calling.send(filled.request, trying);
  };
  return (
    <Card title={words.title} actions={caller && <EnvironmentChoice draft={draft} />}>
      <form
        className={styles["form"]}
        aria-label={words.title}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <CallerChoice entry={entry} operation={operation} draft={draft} />
        {operation.parameters.map((parameter) => (
          <ParameterField
            key={keyOf(parameter)}
            document={document}
            parameter={parameter}
            draft={draft}
            fault={isChecked ? filled.faults.get(keyOf(parameter)) : undefined}
          />
        ))}
        <BodyField operation={operation} draft={draft} isChecked={isChecked} fault={badBody} />
        <Actions>
          <Button type="submit" look="primary" isPending={calling.isWaiting}>
            {words.send}
          </Button>
          {calling.isWaiting && <Button onPress={calling.cancel}>{text.ui.cancel}</Button>}
        </Actions>
      </form>
      <div role="status" className={styles["came"]}>
        {calling.isWaiting && (
          <p className={styles["quiet"]}>
            {calling.bytes > 0 ? words.received(bytes(calling.bytes)) : words.waiting}
          </p>
        )}
        {calling.error !== undefined && <ProblemNote error={calling.error} />}
        {calling.called?.isAnswered && <AnswerView answer={calling.called} slug={operation.slug} />}
        {calling.called?.isAnswered === false && (
          <NoAnswer cause={calling.called.cause} curl={curlOf(entry.security, draft)} />
        )}
      </div>
    </Card>
  );
}

function bodyFaultOf({ bodyType, body }: Draft): string | undefined {
  if (bodyType === undefined || body === "" || !isJson(bodyType)) return undefined;
  const fault = jsonFault(body);
  return fault && words.badJson(fault.line, fault.column, words.expected[fault.expected]);
}

function EnvironmentChoice({ draft }: { draft: Draft }) {
  const names = text.nouns.environments;
  return (
    <Select
      label={words.environment}
      isLabelHidden
      value={draft.environment}
      choices={[
        { value: "production", label: names.production },
        { value: "sandbox", label: names.sandbox },
      ]}
      onChange={draft.setEnvironment}
    />
  );
}

/** In whose name the call is made; without a subscription, the way to one. */
function CallerChoice({
  entry,
  operation,
  draft,
}: Pick<TryItProps, "entry" | "operation" | "draft">) {
  const callers = entry.mine?.subscriptions ?? [];
  if (callers.length === 0) {
    const isVisitor = currentSession() === null;
    return operation.isAnonymous ? null : (
      <div className={styles["nobody"]}>
        <p>{isVisitor ? words.visitor : words.noSubscription}</p>
        {isVisitor ? (
          <SignInLink small>{text.signIn.submit}</SignInLink>
        ) : (
          <ButtonLink {...paths.version(entry.version)} small>
            {words.getKey}
          </ButtonLink>
        )}
      </div>
    );
  }
  const choices = callers.map(({ id, application_name, plan_name, status }) => ({
    value: id,
    label: application_name,
    detail:
      status === "active" ? words.as(plan_name) : `${plan_name} · ${text.nouns.statuses[status]}`,
  }));
  const nobody = { value: NOBODY, label: words.withoutKey };
  return (
    <Select
      label={words.application}
      value={draft.caller?.id ?? NOBODY}
      choices={[...choices, nobody]}
      {...(draft.caller ? { hint: words.as(draft.caller.plan_name) } : {})}
      onChange={draft.setCaller}
    />
  );
}

interface ParameterFieldProps {
  document: unknown;
  parameter: Parameter;
  draft: Draft;
  fault: string | undefined;
}

function ParameterField({ document, parameter, draft, fault }: ParameterFieldProps) {
  const { name, isRequired } = parameter;
  const hints = {
    text: undefined,
    list: words.commaSeparated,
    json: words.asJson,
  };
  const hint = isBrowsersOwn(parameter)
    ? words.notSentByBrowsers(name)
    : hints[readingOf(document, parameter)];
  const example = parameter.example ?? givenOf(document, parameter.schema);
  return (
    <TextField
      label={isRequired ? name : words.optional(name)}
      value={draft.values.get(keyOf(parameter)) ?? ""}
      onChange={(value) => draft.setValue(keyOf(parameter), value)}
      placeholder={example === undefined ? "" : inline(example)}
      autoComplete="off"
      mono
      fault={fault}
      {...(hint === undefined ? {} : { hint })}
    />
  );
}
