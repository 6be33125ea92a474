import { useDeferredValue, useMemo, useState } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { currentSession } from "../api/session";
import { maySubscribe } from "../developer/access/may_subscribe";
import { paths } from "../paths";
import { SignInLink } from "../shell/SignInLink";
import { bytes } from "../text/format";
import { planOf } from "../text/plan";
import { text } from "../text/text";
import { Button, ButtonLink } from "../ui/Button";
import { Card } from "../ui/Card";
import { Checkbox } from "../ui/Checkbox";
import { Actions } from "../ui/Dialog";
import { Select } from "../ui/Field";
import { ProblemNote } from "../ui/ProblemNote";
import { AnswerView } from "./AnswerView";
import { BodyField } from "./BodyField";
import { FORBIDDEN_METHOD } from "./call";
import { NoAnswer } from "./NoAnswer";
import type { Operation } from "./document/operations";
import { type Parameter, keyOf } from "./document/parameters";
import type { Faults } from "./faults";
import { ParameterField } from "./ParameterField";
import { curlOf } from "./snippets/credentials";
import type { Calling } from "./use_calling";
import { type Draft, NOBODY } from "./use_draft";
import styles from "./TryIt.module.css";

type Validation = typeof import("./validation");

const words = text.reference.tryIt;
const NO_FAULTS: Faults = new Map();

interface TryItProps {
  entry: CatalogueEntry;
  document: unknown;
  operation: Operation;
  draft: Draft;
  calling: Calling;
}

/** Calls the gateway from the page, with a credential that is created for it and never shown. */
export function TryIt({ entry, document, operation, draft, calling }: TryItProps) {
  const [validation, setValidation] = useState<Validation>();
  const { caller, environment, filled, values, body } = draft;
  // Validating a long body must not delay typing.
  const checked = useDeferredValue(body);
  const faults = useMemo(
    () => validation?.faultsOf(document, operation, { values, body: checked }) ?? NO_FAULTS,
    [validation, document, operation, values, checked],
  );
  const call = () => {
    const { version } = entry;
    const trying = caller && { version, application: caller.application, environment };
    void calling.send(filled.request, trying);
  };
  const send = async () => {
    // Validation is optional: if it fails to load, the call is sent without it.
    const loaded = await import("./validation").catch(() => undefined);
    setValidation(loaded);
    if (filled.faults.size > 0) return;
    const found = loaded?.faultsOf(document, operation, { values, body }) ?? NO_FAULTS;
    if (found.size === 0) call();
  };
  const parameterFault = (parameter: Parameter) => {
    const key = keyOf(parameter);
    const unsendable = filled.faults.get(key);
    // A missing value is reported once the call is sent, anything else at once.
    return validation || values.has(key) ? (unsendable ?? faults.get(key)) : undefined;
  };
  return (
    <Card title={words.title} actions={caller && <EnvironmentChoice draft={draft} />}>
      <form
        className={styles["form"]}
        aria-label={words.title}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <CallerChoice entry={entry} operation={operation} draft={draft} />
        {FORBIDDEN_METHOD.test(operation.method) && (
          <p className={styles["quiet"]}>{words.notByBrowsers(operation.method)}</p>
        )}
        {operation.parameters.map((parameter) => (
          <ParameterField
            key={keyOf(parameter)}
            document={document}
            parameter={parameter}
            value={values.get(keyOf(parameter))}
            setValue={draft.setValue}
            fault={parameterFault(parameter)}
          />
        ))}
        <BodyField document={document} operation={operation} body={body} faults={faults} />
        {faults.size > 0 && filled.faults.size === 0 && (
          <p role="status" className={styles["quiet"]}>
            {words.invalid(faults.size)}
          </p>
        )}
        {calling.mayBeFresh && caller && (
          <Checkbox isSelected={calling.isFresh} onChange={calling.setFresh} hint={words.freshHint}>
            {words.fresh}
          </Checkbox>
        )}
        <Actions>
          <Button type="submit" look="primary" isPending={calling.isWaiting}>
            {words.send}
          </Button>
          {faults.size > 0 && filled.faults.size === 0 && !calling.isWaiting && (
            <Button onPress={call}>{words.sendAnyway}</Button>
          )}
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

/** The subscription of the call, or how to get one. */
function CallerChoice({
  entry,
  operation,
  draft,
}: Pick<TryItProps, "entry" | "operation" | "draft">) {
  const callers = entry.mine?.subscriptions ?? [];
  if (callers.length === 0) return operation.isAnonymous ? null : <NoCaller entry={entry} />;
  const choices = callers.map((caller) => ({
    value: caller.id,
    label: caller.application_name,
    detail:
      caller.status === "active"
        ? words.as(planOf(caller))
        : `${planOf(caller)} · ${text.nouns.statuses[caller.status]}`,
  }));
  const nobody = { value: NOBODY, label: words.withoutKey };
  return (
    <Select
      label={words.application}
      value={draft.caller?.id ?? NOBODY}
      choices={[...choices, nobody]}
      {...(draft.caller ? { hint: words.as(planOf(draft.caller)) } : {})}
      onChange={draft.setCaller}
    />
  );
}

function NoCaller({ entry }: Pick<TryItProps, "entry">) {
  if (currentSession() === null) {
    return (
      <div className={styles["nobody"]}>
        <p>{words.visitor}</p>
        <SignInLink small>{text.signIn.submit}</SignInLink>
      </div>
    );
  }
  const isAllowed = maySubscribe(entry);
  return (
    <div className={styles["nobody"]}>
      <p>{isAllowed ? words.noSubscription : words.notYours}</p>
      {isAllowed && (
        <ButtonLink {...paths.version(entry.version)} small>
          {words.getKey}
        </ButtonLink>
      )}
    </div>
  );
}
