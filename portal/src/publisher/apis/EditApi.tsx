import { useState } from "react";
import { type Api, updateApi } from "../../api/queries/apis";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { notify } from "../../ui/Notices";

const words = text.publisher.api;

/** Name, context and description of an API. */
export function EditApi({ api, onClose }: { api: Api; onClose: () => void }) {
  const [name, setName] = useState(api.name);
  const [context, setContext] = useState(api.context);
  const [description, setDescription] = useState(api.description);
  const save = async () => {
    await updateApi(api.id, { name, context, description });
    notify(words.saved);
    onClose();
  };
  return (
    <FormDialog title={words.editTitle} submit={text.ui.save} onSubmit={save} onClose={onClose}>
      <TextField label={words.name} value={name} onChange={setName} pointer="/name" autoFocus />
      <TextField
        label={words.context}
        value={context}
        onChange={setContext}
        pointer="/context"
        hint={words.contextHint}
        mono
      />
      <TextField
        label={words.description}
        value={description}
        onChange={setDescription}
        pointer="/description"
        lines={4}
      />
    </FormDialog>
  );
}
