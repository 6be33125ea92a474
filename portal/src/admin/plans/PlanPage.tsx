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
import { Conflict } from "../../ui/Conflict";
import { Loaded } from "../../ui/Loaded";
import { Page } from "../../ui/Page";
import { differencesOf } from "../../ui/differences";
import { inForce } from "../../ui/in_force";
import { ActsOn } from "./ActsOn";
import { DeletePlan } from "./DeletePlan";
import { PlanForm } from "./PlanForm";
import { planInWords, readPlan, writePlan } from "./plan_fields";

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
  /** The plan that someone else has saved, while the user has to choose. */
  const [theirs, setTheirs] = useState<TaggedPlan | null>(null);
  const { id } = base.value;
  const present = () => queryClient.query({ ...planQuery(id), staleTime: 0 });
  const accept = (taken: TaggedPlan) => {
    setBase(taken);
    setFields(readPlan(taken.value));
    setTheirs(null);
  };
  const save = async (onto: TaggedPlan) => {
    try {
      await inForce(updatePlan(id, onto.etag, writePlan(fields)), words.saved);
    } catch (error) {
      if (Problem.from(error).status !== 412) throw error;
      setTheirs(await present());
      return;
    }
    accept(await present());
  };
  return (
    <>
      <PlanForm
        fields={fields}
        saved={readPlan(base.value)}
        onChange={setFields}
        onSubmit={() => save(base)}
      >
        <ActsOn plan={base.value} />
      </PlanForm>
      {theirs && (
        <Conflict
          differences={differencesOf(planInWords(readPlan(theirs.value)), planInWords(fields))}
          onKeep={() => save(theirs)}
          onTake={() => accept(theirs)}
          onClose={() => setTheirs(null)}
        />
      )}
    </>
  );
}
