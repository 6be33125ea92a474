import { useState } from "react";
import { type Application, changeApplication } from "../../api/queries/applications";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { inForce } from "../../ui/in_force";
import { AboutFields, type About } from "./AboutFields";

const words = text.developer.application;

interface EditApplicationDialogProps {
  application: Application;
  onClose: () => void;
}

export function EditApplicationDialog({ application, onClose }: EditApplicationDialogProps) {
  const { id, name, description } = application;
  const [about, setAbout] = useState<About>({ name, description });
  const submit = async () => {
    await inForce(changeApplication(id, about), words.saved);
    onClose();
  };
  return (
    <Dialog title={words.editTitle} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {(isPending) => (
          <>
            <AboutFields about={about} onChange={setAbout} />
            <Actions>
              <Button type="submit" look="primary" isPending={isPending}>
                {text.ui.save}
              </Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
