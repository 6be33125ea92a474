import { useState } from "react";
import { type Api, updateApi } from "../../api/queries/apis";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/Field";
import { Form } from "../../ui/Form";
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
    <Dialog title={words.editTitle} isOpen onClose={onClose}>
      <Form onSubmit={save}>
        {(isPending) => (
          <>
            <TextField
              label={words.name}
              value={name}
              onChange={setName}
              pointer="/name"
              autoFocus
            />
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
            <Actions>
              <Button type="submit" look="primary" isPending={isPending}>
                {text.ui.save}
              </Button>
              <Button onPress={onClose}>{text.ui.cancel}</Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
