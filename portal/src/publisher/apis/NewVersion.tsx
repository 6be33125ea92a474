import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Api } from "../../api/queries/apis";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import { createVersion } from "../../api/queries/versions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Select, TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Loaded } from "../../ui/Loaded";
import { notify } from "../../ui/Notices";

const words = text.publisher.api.new;

interface NewVersionProps {
  api: Api;
  /** The version to copy at first; the newest one when absent. */
  from?: string;
  onClose: () => void;
}

/** Creates a version from another, and opens it. */
export function NewVersion({ api, from: proposed, onClose }: NewVersionProps) {
  const query = useQuery(versionsOfApi(api.id).whole);
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState(proposed);
  const navigate = useNavigate();
  const from = chosen ?? query.data?.items[0]?.version;
  const submit = async () => {
    const made = await createVersion(api.id, from === undefined ? { name } : { name, from });
    notify(words.created(made.name));
    await navigate(paths.ownVersion(made.id));
  };
  return (
    <FormDialog
      title={words.title(api.name)}
      submit={words.confirm}
      // Without the list, it would be created from none.
      isDisabled={query.data === undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.lead}</p>
      {api.kind === "rest" && (
        <p>
          <Link {...paths.newApi({ api: api.id })}>{words.fromDocument}</Link>
        </p>
      )}
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        pointer="/name"
        hint={words.nameHint}
        autoFocus
      />
      <Loaded query={query}>
        {({ items }) =>
          from !== undefined && (
            <Select
              label={words.from}
              value={from}
              choices={items.map(choiceOf)}
              onChange={setChosen}
              pointer="/from"
            />
          )
        }
      </Loaded>
    </FormDialog>
  );
}

function choiceOf({ version, name, state }: VersionOverview) {
  return { value: version, label: name, detail: text.nouns.states[state] };
}
