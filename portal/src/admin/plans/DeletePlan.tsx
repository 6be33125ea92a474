import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Problem } from "../../api/problem";
import { type Plan, deletePlan, impactOfDeletion } from "../../api/queries/plans";
import { paths } from "../../paths";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { notify } from "../../ui/Notices";
import { Touches } from "../../ui/Touches";

const words = text.admin.plans;

export function DeletePlan({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const navigate = useNavigate();
  const { error } = useQuery(impactOfDeletion(plan.id));
  const title = planTitle(plan);
  const confirm = async () => {
    await deletePlan(plan.id);
    notify(words.deleted(title));
    await navigate({ ...paths.plans(), ignoreBlocker: true });
  };
  return (
    <ConfirmDialog
      title={words.deleteTitle(title)}
      confirm={words.delete}
      typed={plan.name}
      isRefused={error instanceof Problem && error.status === 409}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{words.deleteLead}</p>
      <Touches query={impactOfDeletion(plan.id)} />
    </ConfirmDialog>
  );
}
