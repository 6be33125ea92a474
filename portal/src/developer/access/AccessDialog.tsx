// "Get a key": application, plan, credential and first call in one dialog. "Try it" of a publisher:
// application and plan alone, because try-it creates its own credentials.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Application, applicationChoices } from "../../api/queries/applications";
import type { CatalogueEntry } from "../../api/queries/catalogue";
import type { Environment } from "../../api/queries/credentials";
import { limitsInWords } from "../../text/limit";
import { planOf, planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { Select, TextField } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { EnvironmentChoice } from "../credentials/EnvironmentChoice";
import { AccessMade } from "./AccessMade";
import { NoTokens } from "./NoTokens";
import { type Obtained, type Way, obtain, presentSubscription, waysOf } from "./obtain";

const words = text.developer.access;
/** Stands for a new application among the ids. */
const NEW = "new";

interface AccessDialogProps {
  entry: CatalogueEntry;
  onClose: () => void;
}

export function AccessDialog({ entry, onClose }: AccessDialogProps) {
  const [obtained, setObtained] = useState<Obtained | null>(null);
  const query = useQuery(applicationChoices);
  const title = words.title(`${entry.api_name} ${entry.name}`);
  if (obtained) {
    return <AccessMade title={title} entry={entry} obtained={obtained} onClose={onClose} />;
  }
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Loaded query={query}>
        {(applications) => (
          <AccessForm
            entry={entry}
            applications={applications}
            onObtained={setObtained}
            onCancel={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

interface TrialDialogProps extends AccessDialogProps {
  /** Called once an application can call the version. */
  onReady: () => void;
}

/** Subscribes one of the user's applications, so that the user can try the version. */
export function TrialDialog({ entry, onReady, onClose }: TrialDialogProps) {
  const query = useQuery(applicationChoices);
  return (
    <Dialog title={words.trial.title(`${entry.api_name} ${entry.name}`)} isOpen onClose={onClose}>
      <p>{words.trial.lead}</p>
      <Loaded query={query}>
        {(applications) => (
          <AccessForm
            entry={entry}
            applications={applications}
            isTrial
            onObtained={onReady}
            onCancel={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

interface AccessFormProps {
  entry: CatalogueEntry;
  applications: readonly Application[];
  /** Whether to create no credential. */
  isTrial?: boolean;
  onObtained: (obtained: Obtained) => void;
  onCancel: () => void;
}

function AccessForm({ entry, applications, isTrial, onObtained, onCancel }: AccessFormProps) {
  const ways = isTrial ? [] : waysOf(entry);
  const [way, setWay] = useState<Way>(ways[0] ?? "key");
  const [made, setMade] = useState<Application | null>(null);
  const [chosen, setChosen] = useState(() => {
    const usual = isTrial ? applications[0]?.id : undefined;
    return entry.mine?.subscriptions[0]?.application ?? usual ?? NEW;
  });
  const [name, setName] = useState(() => freeName(entry.api_name, applications));
  const [plan, setPlan] = useState(entry.plans[0]?.id ?? "");
  const [environment, setEnvironment] = useState<Environment>("production");
  const [userName, setUserName] = useState(() => slug(name));

  const mine = made ? [made, ...applications.filter(({ id }) => id !== made.id)] : applications;
  const application = mine.find(({ id }) => id === chosen);
  const present = presentSubscription(entry, application?.id);
  const waysToCreate = isTrial || entry.security.require === "all" ? ways : [way];
  const cannot = !present && entry.plans.length === 0 ? words.noPlans : undefined;
  const submit = async () => {
    const wish = { application, name, plan, environment, ways: waysToCreate, userName };
    const onApplication = (it: Application) => {
      setMade(it);
      setChosen(it.id);
    };
    onObtained(await obtain(entry, wish, onApplication));
  };
  return (
    <Form onSubmit={submit}>
      {(isPending) => (
        <>
          {ways.length > 1 && entry.security.require !== "all" && (
            <Select
              label={words.with}
              value={way}
              choices={ways.map((value) => ({ value, label: words.ways[value] }))}
              onChange={setWay}
            />
          )}
          <Select
            label={words.application}
            value={application?.id ?? NEW}
            choices={[
              { value: NEW, label: words.newApplication },
              ...mine.map((it) => ({ value: it.id, label: it.name })),
            ]}
            onChange={setChosen}
            hint={words.applicationHint}
          />
          {!application && (
            <TextField
              label={words.name}
              value={name}
              onChange={setName}
              isRequired
              pointer="/name"
            />
          )}
          {present ? (
            <Note tone="information">{words.subscribed(planOf(present))}</Note>
          ) : (
            <PlanChoice entry={entry} plan={plan} onChange={setPlan} />
          )}
          {waysToCreate.includes("basic_user") && (
            <TextField
              label={words.userName}
              value={userName}
              onChange={setUserName}
              hint={words.userNameHint}
              pointer="/user_name"
            />
          )}
          {waysToCreate.includes("client") && <NoTokens />}
          {!isTrial && <EnvironmentChoice environment={environment} onChange={setEnvironment} />}
          <Actions>
            <Button type="submit" look="primary" isPending={isPending} why={cannot}>
              {isTrial ? words.trial.submit : words.make[waysToCreate[0] ?? "key"]}
            </Button>
            <Button onPress={onCancel}>{text.ui.cancel}</Button>
          </Actions>
        </>
      )}
    </Form>
  );
}

interface PlanChoiceProps {
  entry: CatalogueEntry;
  plan: string;
  onChange: (plan: string) => void;
}

function PlanChoice({ entry, plan, onChange }: PlanChoiceProps) {
  const inWords = (limits: CatalogueEntry["plans"][number]["limits"]) =>
    limitsInWords(limits) || text.limitSentence.unlimited;
  const chosen = entry.plans.find(({ id }) => id === plan);
  if (!chosen) return null;
  const approval = words.approval(entry.owner_name ?? words.aPublisher);
  return (
    <>
      <Select
        label={words.plan}
        value={plan}
        choices={entry.plans.map((offered) => ({
          value: offered.id,
          label: planTitle(offered),
          detail: inWords(offered.limits),
        }))}
        onChange={onChange}
        hint={inWords(chosen.limits)}
        pointer="/plan"
      />
      {chosen.needs_approval && <Note tone="warning">{approval}</Note>}
    </>
  );
}

const NAME_MAX = 90;

/** Returns a name for a new application that none of the user's applications has. */
function freeName(api: string, applications: readonly Application[]): string {
  const taken = new Set(applications.map(({ name }) => name));
  const base = words.suggestion(api.slice(0, NAME_MAX));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Converts a name to a valid user name in calls. */
function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 64);
}
