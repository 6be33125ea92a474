import { useNavigate } from "@tanstack/react-router";
import {
  type Application,
  deleteApplication,
  impactOfDeletion,
} from "../../api/queries/applications";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Touches } from "../../ui/Touches";
import { inForce } from "../../ui/in_force";

const words = text.developer.application;

interface DeleteApplicationDialogProps {
  application: Application;
  onClose: () => void;
}

export function DeleteApplicationDialog({ application, onClose }: DeleteApplicationDialogProps) {
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={words.deleteTitle(application.name)}
      confirm={words.delete}
      typed={application.name}
      onConfirm={async () => {
        await inForce(deleteApplication(application.id), words.deleted);
        await navigate(paths.applications());
      }}
      onClose={onClose}
    >
      <p>{words.deleteLead}</p>
      <Touches query={impactOfDeletion(application.id)} />
    </ConfirmDialog>
  );
}
