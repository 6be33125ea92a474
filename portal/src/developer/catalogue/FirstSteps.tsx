// First steps by role. A step disappears once it is done.

import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { applications } from "../../api/queries/applications";
import { catalogue } from "../../api/queries/catalogue";
import { overview } from "../../api/queries/overview";
import { users } from "../../api/queries/users";
import { type Role, currentSession } from "../../api/session";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Grid } from "../../ui/Page";

const words = text.developer.catalogue.first;

/** Renders nothing for visitors and for users who have completed the steps. */
export function FirstSteps() {
  const roles = currentSession()?.roles ?? [];
  const has = (...wanted: Role[]) => wanted.some((role) => roles.includes(role));
  const steps = [
    usePublishing(has("publisher", "administrator")),
    useCalling(has("developer")),
    useInviting(has("administrator")),
  ].filter((step) => step !== undefined);
  if (steps.length === 0) return null;
  return (
    <section aria-label={words.title}>
      <Grid columns={steps.length > 1 ? "2" : "1"}>
        {steps.map(({ title, lead, action }) => (
          <Card key={title} title={title} actions={action}>
            <p>{lead}</p>
          </Card>
        ))}
      </Grid>
    </section>
  );
}

interface Step {
  title: string;
  lead: string;
  action?: ReactNode;
}

function usePublishing(isTheirs: boolean): Step | undefined {
  const own = useInfiniteQuery({ ...overview({}).pages, enabled: isTheirs }).data;
  if (own?.total !== 0) return undefined;
  const { title, lead, go } = words.publish;
  const action = (
    <ButtonLink {...paths.newApi()} look="primary" small>
      {go}
    </ButtonLink>
  );
  return { title, lead, action };
}

function useCalling(isTheirs: boolean): Step | undefined {
  const own = useInfiniteQuery({ ...applications({}).pages, enabled: isTheirs }).data;
  const offered = useInfiniteQuery({ ...catalogue({}).pages, enabled: isTheirs }).data;
  // An empty catalogue shows its own message.
  return own?.total === 0 && offered?.total ? words.find : undefined;
}

/** Shown until there is a user besides the administrator. */
function useInviting(isTheirs: boolean): Step | undefined {
  const all = useInfiniteQuery({ ...users({}).pages, enabled: isTheirs }).data;
  if (all?.total !== 1) return undefined;
  const { title, lead, go } = words.invite;
  const action = (
    <ButtonLink {...paths.users()} small>
      {go}
    </ButtonLink>
  );
  return { title, lead, action };
}
