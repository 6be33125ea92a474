// The frame of a version's pages: its state, undeployed changes, its sections as tabs.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Api, api } from "../../api/queries/apis";
import {
  type Configuration,
  type TaggedDraft,
  type Version,
  draft,
  version,
} from "../../api/queries/versions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Skeleton } from "../../ui/Loaded";
import { Page } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { Tabs } from "../../ui/Tabs";
import { VersionState } from "../../ui/State";
import { NotDeployed } from "./NotDeployed";
import styles from "./VersionFrame.module.css";

const tabs = text.publisher.version.tabs;

export interface Shown {
  api: Api;
  version: Version;
  draft: TaggedDraft;
}

interface VersionFrameProps {
  id: string;
  /** Name of the tab. */
  tab: string;
  /** State changes of the version, if the page offers them. */
  actions?: (shown: Shown) => ReactNode;
  /** Whether "Deploy" is the page's primary button. */
  isDeployPrimary?: boolean;
  children: (shown: Shown) => ReactNode;
}

export function VersionFrame(props: VersionFrameProps) {
  const { id, tab, actions, isDeployPrimary, children } = props;
  const versionQuery = useQuery(version(id));
  const draftQuery = useQuery(draft(id));
  const apiQuery = useQuery({
    ...api(versionQuery.data?.api ?? ""),
    enabled: versionQuery.data !== undefined,
  });
  const failed = [versionQuery, draftQuery, apiQuery].find((query) => query.isError);
  const shown = versionQuery.data &&
    draftQuery.data &&
    apiQuery.data && {
      version: versionQuery.data,
      draft: draftQuery.data,
      api: apiQuery.data,
    };
  if (!shown) {
    return (
      <Page title={text.publisher.version.title}>
        {failed ? (
          <ProblemNote error={failed.error} onRetry={() => void failed.refetch()} />
        ) : (
          <Skeleton />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={text.publisher.version.named(shown.api.name, shown.version.name)}
      tab={tab}
      state={<VersionState state={shown.version.state} />}
      lead={<Way shown={shown} />}
      crumbs={[
        { label: text.publisher.apis.title, link: paths.ownApis() },
        { label: shown.api.name, link: paths.ownApi(shown.api.id) },
        { label: shown.version.name },
      ]}
      actions={actions?.(shown)}
    >
      {failed && <ProblemNote error={failed.error} onRetry={() => void failed.refetch()} />}
      <NotDeployed shown={shown} isPrimary={isDeployPrimary ?? false} />
      <VersionTabs id={id} />
      {children(shown)}
    </Page>
  );
}

/** The route from the callers' path to the upstream. */
function Way({ shown: { api: of, version: shown, draft: saved } }: { shown: Shown }) {
  const upstream = saved.value.upstream?.url;
  return (
    <span className={styles["way"]}>
      <code>{`${of.context}/${shown.name}`}</code>
      {upstream && (
        <>
          {" → "}
          <code>{upstream}</code>
        </>
      )}
    </span>
  );
}

/** Returns the number of operations of a configuration, REST or SOAP. */
export function operationsOf({ operations, soap }: Configuration): number {
  if (soap?.rest) return soap.rest.resources.filter((it) => it.enabled !== false).length;
  return soap?.operations?.length ?? operations?.length ?? 0;
}

function VersionTabs({ id }: { id: string }) {
  return (
    <Tabs
      label={tabs.label}
      tabs={[
        { label: tabs.overview, link: paths.ownVersion(id), isExact: true },
        { label: tabs.operations, link: paths.versionOperations(id) },
        { label: tabs.upstream, link: paths.versionUpstream(id) },
        { label: tabs.security, link: paths.versionSecurity(id) },
        { label: tabs.limits, link: paths.versionLimits(id) },
        { label: tabs.policies, link: paths.versionPolicies(id) },
        { label: tabs.cache, link: paths.versionCache(id) },
        { label: tabs.plans, link: paths.versionPlans(id) },
        { label: tabs.subscriptions, link: paths.versionSubscriptions(id) },
        { label: tabs.usage, link: paths.versionUsage(id) },
        { label: tabs.document, link: paths.versionDocument(id) },
        { label: tabs.revisions, link: paths.versionRevisions(id) },
      ]}
    />
  );
}
