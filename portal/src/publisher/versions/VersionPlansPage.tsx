import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { plans as allPlans } from "../../api/queries/plans";
import { type OfferedPlan, setOffers } from "../../api/queries/versions";
import { currentSession } from "../../api/session";
import { paths } from "../../paths";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { CheckboxGroup } from "../../ui/Checkbox";
import { Form } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { Loaded } from "../../ui/Loaded";
import { SaveActions } from "../../ui/SaveActions";
import { Narrow } from "../Narrow";
import { inForce } from "../../ui/in_force";
import { planChoice } from "../plans";
import { VersionFrame } from "./VersionFrame";

const words = text.publisher.version.plans;
const route = getRouteApi("/shell/publisher/publish/versions/$version/plans");

export function VersionPlansPage() {
  const { version: id } = route.useParams();
  const isAdministrator = currentSession()?.roles.includes("administrator") ?? false;
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.plans}>
      {({ version }) => (
        <Narrow>
          <Plans id={id} offered={version.plans ?? []} />
          {isAdministrator && (
            <p>
              <Link {...paths.plans()}>{words.toPlans}</Link>
            </p>
          )}
        </Narrow>
      )}
    </VersionFrame>
  );
}

function Plans({ id, offered }: { id: string; offered: readonly OfferedPlan[] }) {
  const [saved, setSaved] = useState(() => offered.map((plan) => plan.id));
  const [chosen, setChosen] = useState(saved);
  const query = useQuery(allPlans);
  const isDirty = [...chosen].sort().join() !== [...saved].sort().join();
  const gone = offered.filter((plan) => saved.includes(plan.id) && !chosen.includes(plan.id));
  const save = async () => {
    await inForce(setOffers(id, chosen), words.saved);
    setSaved(chosen);
  };
  return (
    <Card title={words.title} note={words.lead}>
      <LeaveGuard isDirty={isDirty} />
      <Form onSubmit={save}>
        {(isPending) => (
          <>
            <Loaded query={query}>
              {(plans) => (
                <CheckboxGroup
                  label={words.choose}
                  value={chosen}
                  onChange={setChosen}
                  choices={plans.map(planChoice)}
                  pointer=""
                />
              )}
            </Loaded>
            {gone.length > 0 && (
              <p>
                {words.gone(gone.map(planTitle).join(", "))}{" "}
                <Link {...paths.versionSubscriptions(id)}>{words.who}</Link>
              </p>
            )}
            <SaveActions isPending={isPending} isDirty={isDirty} />
          </>
        )}
      </Form>
    </Card>
  );
}
