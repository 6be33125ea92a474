import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createApplication } from "../../api/queries/applications";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { FormDialog } from "../../ui/FormDialog";
import { notify } from "../../ui/Notices";
import { AboutFields, type About } from "./AboutFields";

const words = text.developer.applications;

export function NewApplicationDialog({ onClose }: { onClose: () => void }) {
  const [about, setAbout] = useState<About>({ name: "", description: "" });
  const navigate = useNavigate();
  const submit = async () => {
    const { id } = await createApplication(about);
    notify(words.created);
    await navigate(paths.application(id));
  };
  return (
    <FormDialog title={words.makeTitle} submit={words.make} onSubmit={submit} onClose={onClose}>
      <AboutFields about={about} onChange={setAbout} />
    </FormDialog>
  );
}
