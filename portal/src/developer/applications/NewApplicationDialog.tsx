import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createApplication } from "../../api/queries/applications";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
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
    <Dialog title={words.makeTitle} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {(isPending) => (
          <>
            <AboutFields about={about} onChange={setAbout} />
            <Actions>
              <Button type="submit" look="primary" isPending={isPending}>
                {words.make}
              </Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
