// The frame of an API's pages: name, description, tabs.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Api, api } from "../../api/queries/apis";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Loaded } from "../../ui/Loaded";
import { Page } from "../../ui/Page";
import { Tabs } from "../../ui/Tabs";

const words = text.publisher.api;

interface ApiFrameProps {
  id: string;
  /** Name of the tab. */
  tab: string;
  actions?: (api: Api) => ReactNode;
  children: (api: Api) => ReactNode;
}

export function ApiFrame({ id, tab, actions, children }: ApiFrameProps) {
  const query = useQuery(api(id));
  const name = query.data?.name ?? words.title;
  return (
    <Page
      title={name}
      tab={tab}
      lead={query.data?.description}
      crumbs={[{ label: text.publisher.apis.title, link: paths.ownApis() }, { label: name }]}
      actions={query.data && actions?.(query.data)}
    >
      <Loaded query={query}>
        {(shown) => (
          <>
            <Tabs
              label={words.tabs.label}
              tabs={[
                { label: words.tabs.overview, link: paths.ownApi(id), isExact: true },
                { label: words.tabs.usage, link: paths.ownApiUsage(id) },
              ]}
            />
            {children(shown)}
          </>
        )}
      </Loaded>
    </Page>
  );
}
