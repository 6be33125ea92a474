import { useState } from "react";
import { type Application, changeApplication } from "../../api/queries/applications";
import { text } from "../../text/text";
import { FormDialog } from "../../ui/FormDialog";
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
    <FormDialog title={words.editTitle} submit={text.ui.save} onSubmit={submit} onClose={onClose}>
      <AboutFields about={about} onChange={setAbout} />
    </FormDialog>
  );
}
