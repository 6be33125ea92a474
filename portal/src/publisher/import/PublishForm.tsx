// The form of a new API, with one button that imports it, sets upstream and plans, and publishes
// it. When a step fails, the form shows what was saved, and the next attempt continues from there.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Kind } from "../../api/queries/apis";
import type { Fault } from "../../api/problem";
import type { Preview, Source } from "../../api/queries/imports";
import { plans as allPlans } from "../../api/queries/plans";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Checkbox, CheckboxGroup } from "../../ui/Checkbox";
import { Actions } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { notify } from "../../ui/Notices";
import { planChoice } from "../plans";
import { useWithoutTokens } from "../use_without_tokens";
import { readUpstream } from "../versions/upstream_fields";
import { NameFields } from "./NameFields";
import styles from "./PublishForm.module.css";
import { NOT_BY_DOCUMENT, SecurityChoice } from "./SecurityChoice";
import { UpstreamChoice } from "./UpstreamChoice";
import { type Saved, publish } from "./publishing";

const words = text.publisher.import.form;

interface PublishFormProps {
  source: Source;
  preview: Preview;
  kind: Kind;
  onSaved: () => void;
  onDone: (saved: Saved) => void;
}

export function PublishForm({ source, preview, kind, onSaved, onDone }: PublishFormProps) {
  const [names, setNames] = useState({
    name: preview.name,
    context: preview.context,
    version: preview.version,
  });
  const [upstream, setUpstream] = useState(() => ({
    ...readUpstream(null),
    url: preview.upstream,
  }));
  const isUpstreamProposed = preview.upstream !== "" && upstream.url === preview.upstream;
  const [security, setSecurity] = useState(NOT_BY_DOCUMENT);
  const [plans, setPlans] = useState<string[]>([]);
  const [saved, setSaved] = useState<Saved | null>(null);
  const withoutTokens = useWithoutTokens();
  const isPublished = useRef(true);
  const navigate = useNavigate();
  const submit = async () => {
    const publication = {
      source,
      form: preview.form,
      choice: { ...names, kind, ...security, isUpstreamProposed },
      upstream,
      plans,
      isPublished: isPublished.current,
    };
    const done = await withoutTokens.attempt((isWithoutTokens) =>
      publish({ ...publication, isWithoutTokens }, saved, (now) => {
        setSaved(now);
        onSaved();
      }),
    );
    if (publication.isPublished) onDone(done);
    else {
      notify(words.draftSaved);
      await navigate({ ...paths.ownVersion(done.version), ignoreBlocker: true });
    }
  };
  const missing = missingOf(preview, upstream.url, plans);
  return (
    <Form label={words.label} onSubmit={submit}>
      {(isPending) => (
        <>
          <LeaveGuard isDirty={saved === null || isPending} />
          {saved && !isPending && <SavedNote saved={saved} />}
          <Card title={words.names}>
            <NameFields
              fields={names}
              faults={faultsOf(preview)}
              proposed={preview}
              isFixed={saved !== null}
              onChange={setNames}
            />
          </Card>
          <Card title={words.upstream} note={words.upstreamNote}>
            {preview.upstream !== "" && saved === null && (
              <Checkbox
                isSelected={isUpstreamProposed}
                onChange={(isTaken) =>
                  setUpstream({ ...upstream, url: isTaken ? preview.upstream : "" })
                }
                hint={preview.upstream}
              >
                {words.takeUpstream}
              </Checkbox>
            )}
            <UpstreamChoice
              fields={upstream}
              isService={preview.form === "wsdl"}
              onChange={setUpstream}
            />
          </Card>
          {preview.form === "openapi" && saved === null && (
            <Card title={words.security}>
              <SecurityChoice
                proposed={preview.security}
                chosen={security}
                onChange={setSecurity}
              />
            </Card>
          )}
          <Card title={words.plans} note={words.plansNote}>
            <PlanChoice chosen={plans} onChange={setPlans} />
          </Card>
          {withoutTokens.tick}
          <div className={styles["end"]}>
            <Actions>
              <Button
                type="submit"
                look="primary"
                isPending={isPending}
                why={missing}
                onPress={() => (isPublished.current = true)}
              >
                {words.publish}
              </Button>
              <Button
                type="submit"
                isPending={isPending}
                onPress={() => (isPublished.current = false)}
              >
                {words.draft}
              </Button>
            </Actions>
          </div>
        </>
      )}
    </Form>
  );
}

/** Returns the faults of the proposed values; the user's own API has the name, if any. */
function faultsOf({ faults, newVersionOf }: Preview): readonly Fault[] {
  if (!newVersionOf) return faults;
  return [...faults, { field: "/name", code: "name.taken", detail: words.nameTaken }];
}

/** Returns why the API cannot be published yet. */
function missingOf(
  { operations }: Preview,
  url: string,
  plans: readonly string[],
): string | undefined {
  if (operations.length === 0) return words.needsOperation;
  if (url === "") return words.needsUpstream;
  return plans.length === 0 ? words.needsPlan : undefined;
}

/** A note on what was saved before a later step failed. */
function SavedNote({ saved: { version, done } }: { saved: Saved }) {
  return (
    <Note tone="warning">
      <p>{words.saved(done.map((step) => words.steps[step]).join(", "))}</p>
      <p>
        <Link {...paths.ownVersion(version)}>{words.toVersion}</Link>
      </p>
    </Note>
  );
}

interface PlanChoiceProps {
  chosen: readonly string[];
  onChange: (plans: string[]) => void;
}

function PlanChoice({ chosen, onChange }: PlanChoiceProps) {
  const query = useQuery(allPlans);
  return (
    <Loaded query={query}>
      {(plans) =>
        plans.length === 0 ? (
          <p>{words.noPlans}</p>
        ) : (
          <CheckboxGroup
            label={words.choosePlans}
            value={chosen}
            onChange={onChange}
            choices={plans.map(planChoice)}
          />
        )
      }
    </Loaded>
  );
}
