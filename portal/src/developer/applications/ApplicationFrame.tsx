// The frame of an application's pages: name, description, tabs.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Application, application } from "../../api/queries/applications";
import { currentSession } from "../../api/session";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Loaded } from "../../ui/Loaded";
import { Page } from "../../ui/Page";
import { Tabs } from "../../ui/Tabs";

const words = text.developer.application;

interface ApplicationFrameProps {
  id: string;
  /** Name of the tab. */
  tab: string;
  actions?: ((application: Application) => ReactNode) | undefined;
  children: (application: Application) => ReactNode;
}

export function ApplicationFrame({ id, tab, actions, children }: ApplicationFrameProps) {
  const query = useQuery(application(id));
  const session = currentSession();
  const found = query.data;
  // Only administrators limit applications, and see those of others.
  const isAdministrator = session?.roles.includes("administrator") ?? false;
  const isOthers = found !== undefined && found.owner !== session?.user;
  const list = isOthers ? paths.allApplications() : paths.applications();
  const crumb = { label: text.developer.applications.title, link: list };
  if (!found) {
    return (
      <Page title={text.developer.applications.title} crumbs={[crumb]}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  return (
    <Page
      title={found.name}
      tab={tab}
      lead={found.description}
      crumbs={[crumb, { label: found.name }]}
      actions={actions?.(found)}
    >
      <Tabs
        label={words.tabs}
        tabs={[
          { label: words.overview, link: paths.application(id), isExact: true },
          { label: words.keys, link: paths.applicationKeys(id) },
          { label: words.clients, link: paths.applicationClients(id) },
          { label: words.basicUsers, link: paths.applicationBasicUsers(id) },
          { label: words.subscriptions, link: paths.applicationSubscriptions(id) },
          { label: words.usage, link: paths.applicationUsage(id) },
          ...(isAdministrator ? [{ label: words.limits, link: paths.applicationLimits(id) }] : []),
        ]}
      />
      {children(found)}
    </Page>
  );
}
