// A document as a new version of an API that the user has: its name, the version that it continues,
// and its security. The version is a draft, which opens.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  type Preview,
  type ProposedVersion,
  type Source,
  importVersion,
} from "../../api/queries/imports";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Checkbox } from "../../ui/Checkbox";
import { Actions } from "../../ui/Dialog";
import { Select, TextField } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { Loaded } from "../../ui/Loaded";
import { notify } from "../../ui/Notices";
import styles from "./PublishForm.module.css";
import { NOT_BY_DOCUMENT, SecurityChoice } from "./SecurityChoice";

const { form, newVersion: words } = text.publisher.import;

interface NewVersionFormProps {
  source: Source;
  preview: Preview;
  api: ProposedVersion;
  /** Id of the version to copy at first; the newest one when absent. */
  from?: string | undefined;
  /** Publishes the document as another API; absent if the user has chosen the API. */
  onOther: (() => void) | undefined;
}

export function NewVersionForm(props: NewVersionFormProps) {
  const query = useQuery(versionsOfApi(props.api.id).whole);
  return <Loaded query={query}>{({ items }) => <FormAmong {...props} versions={items} />}</Loaded>;
}

interface FormAmongProps extends NewVersionFormProps {
  /** All versions of the API. */
  versions: readonly VersionOverview[];
}

function FormAmong({ source, preview, api, from: proposed, onOther, versions }: FormAmongProps) {
  const [name, setName] = useState(preview.version);
  const [chosen, setChosen] = useState(proposed);
  const [security, setSecurity] = useState(NOT_BY_DOCUMENT);
  const [isUpstreamProposed, setUpstreamProposed] = useState(false);
  const navigate = useNavigate();
  const from = versions.find(({ version }) => version === chosen) ?? versions[0];
  const submit = async () => {
    const choice = { name, from: from?.version, ...security, isUpstreamProposed };
    const made = await importVersion(api.id, source, choice);
    notify(text.publisher.api.new.created(made.name));
    await navigate({ ...paths.ownVersion(made.id), ignoreBlocker: true });
  };
  const isTaken =
    versions.some((version) => version.name === name) ||
    (api.version_exists && name === preview.version);
  return (
    <Form label={words.title} onSubmit={submit}>
      {(isPending) => (
        <>
          <LeaveGuard isDirty />
          <Card title={words.of(api.name)} note={words.lead(api.name)}>
            <TextField
              label={words.name}
              value={name}
              onChange={setName}
              pointer="/name"
              fault={isTaken ? words.taken(api.name, name) : undefined}
              hint={words.path(`${api.context}/${name}`)}
              mono
            />
            {from && (
              <Select
                label={words.from}
                hint={words.fromHint}
                value={from.version}
                choices={versions.map(choiceOf)}
                onChange={setChosen}
              />
            )}
          </Card>
          {preview.upstream !== "" && (
            <Card title={form.upstream}>
              <Checkbox
                isSelected={isUpstreamProposed}
                onChange={setUpstreamProposed}
                pointer="/upstream"
                hint={preview.upstream}
              >
                {form.takeUpstream}
              </Checkbox>
            </Card>
          )}
          <Card title={form.security}>
            <SecurityChoice
              proposed={preview.security}
              chosen={security}
              onChange={setSecurity}
              {...(from
                ? { otherwise: words.security(from.name), none: words.kept(from.name) }
                : {})}
            />
          </Card>
          <div className={styles["end"]}>
            <Actions>
              <Button
                type="submit"
                look="primary"
                isPending={isPending}
                why={isTaken ? words.rename : undefined}
              >
                {words.create(name)}
              </Button>
              {onOther && <Button onPress={onOther}>{words.other}</Button>}
            </Actions>
          </div>
        </>
      )}
    </Form>
  );
}

function choiceOf({ version, name, state }: VersionOverview) {
  return { value: version, label: name, detail: text.nouns.states[state] };
}
