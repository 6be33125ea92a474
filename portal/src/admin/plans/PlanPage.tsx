import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem";
import { type TaggedPlan, plan as planQuery, updatePlan } from "../../api/queries/plans";
import { queryClient } from "../../api/query_client";
import { paths } from "../../paths";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { Page } from "../../ui/Page";
import { inForce } from "../../ui/in_force";
import { ActsOn } from "./ActsOn";
import { DeletePlan } from "./DeletePlan";
import { PlanForm } from "./PlanForm";
import { readPlan, writePlan } from "./plan_fields";

const words = text.admin.plans;
const route = getRouteApi("/shell/admin/admin/plans/$plan");

export function PlanPage() {
  const { plan: id } = route.useParams();
  const query = useQuery(planQuery(id));
  const [isDeleting, setDeleting] = useState(false);
  const plan = query.data?.value;
  const title = plan ? planTitle(plan) : words.title;
  return (
    <Page
      title={title}
      crumbs={[{ label: words.title, link: paths.plans() }, { label: title }]}
      actions={
        plan && (
          <Button look="danger" onPress={() => setDeleting(true)}>
            {text.ui.withEllipsis(words.delete)}
          </Button>
        )
      }
    >
      <Loaded query={query}>{(loaded) => <Editor key={id} loaded={loaded} />}</Loaded>
      {plan && isDeleting && <DeletePlan plan={plan} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

/** The form. Concurrent changes do not affect it while editing: saving detects them. */
function Editor({ loaded }: { loaded: TaggedPlan }) {
  const [base, setBase] = useState(loaded);
  const [fields, setFields] = useState(() => readPlan(base.value));
  const [isStale, setStale] = useState(false);
  const { id } = base.value;
  const load = async () => {
    const now = await queryClient.query({ ...planQuery(id), staleTime: 0 });
    setBase(now);
    setFields(readPlan(now.value));
    setStale(false);
  };
  const save = async () => {
    try {
      await inForce(updatePlan(id, base.etag, writePlan(fields)), words.saved);
    } catch (error) {
      setStale(Problem.from(error).status === 412);
      throw error;
    }
    await load();
  };
  return (
    <>
      {isStale && (
        <Note
          tone="warning"
          actions={
            <Button small onPress={() => void load()}>
              {words.load}
            </Button>
          }
        >
          {words.stale}
        </Note>
      )}
      <PlanForm
        fields={fields}
        saved={readPlan(base.value)}
        submit={words.save}
        onChange={setFields}
        onSubmit={save}
      >
        <ActsOn plan={base.value} />
      </PlanForm>
    </>
  );
}
