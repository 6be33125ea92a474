import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createPlan } from "../../api/queries/plans";
import { paths } from "../../paths";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { notify } from "../../ui/Notices";
import { Page } from "../../ui/Page";
import { PlanForm } from "./PlanForm";
import { NEW_PLAN, writePlan } from "./plan_fields";

const words = text.admin.plans;

export function NewPlanPage() {
  const navigate = useNavigate();
  const [fields, setFields] = useState(NEW_PLAN);
  const create = async () => {
    const plan = await createPlan(writePlan(fields));
    notify(words.made(planTitle(plan)));
    await navigate({ ...paths.plan(plan.id), ignoreBlocker: true });
  };
  return (
    <Page
      title={words.newTitle}
      lead={words.newLead}
      crumbs={[{ label: words.title, link: paths.plans() }, { label: words.newTitle }]}
    >
      <PlanForm
        fields={fields}
        saved={NEW_PLAN}
        submit={words.make}
        onChange={setFields}
        onSubmit={create}
      />
    </Page>
  );
}
