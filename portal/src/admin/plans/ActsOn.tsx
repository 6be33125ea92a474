import { useQuery } from "@tanstack/react-query";
import { type Plan, impactOfChange } from "../../api/queries/plans";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";

const words = text.admin.plans;

/** How many subscriptions a change of the plan acts on. */
export function ActsOn({ plan }: { plan: Plan }) {
  const query = useQuery(impactOfChange(plan));
  if (plan.anonymous) return <Note tone="information">{words.actsOnAnonymous}</Note>;
  return (
    <Loaded query={query}>
      {({ subscriptions, applications }) => (
        <Note tone="information">
          {subscriptions === 0
            ? words.actsOnNone
            : `${words.actsOn(
                words.subscriptions(count(subscriptions)),
                words.applications(count(applications)),
              )} ${words.usedStays}`}
        </Note>
      )}
    </Loaded>
  );
}
