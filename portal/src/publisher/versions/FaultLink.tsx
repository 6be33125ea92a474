// A link to the page of a draft that has a faulty field, for faults that another page shows.

import { Link } from "@tanstack/react-router";
import { paths } from "../../paths";
import { text } from "../../text/text";

const { tabs } = text.publisher.version;

interface FaultLinkProps {
  version: string;
  /** JSON pointer of the field in the draft. */
  pointer: string;
}

export function FaultLink({ version, pointer }: FaultLinkProps) {
  const page = PAGES.find(({ fields }) => fields.test(pointer));
  return (
    <>
      {page && <Link {...page.to(version)}>{page.title}</Link>} <code>{pointer}</code>
    </>
  );
}

/** The pages of a draft, by the fields that they show; the first one counts. */
const PAGES = [
  {
    fields: /^\/policies\/(operations\/\d+\/)?cache(\/|$)/,
    title: tabs.cache,
    to: paths.versionCache,
  },
  { fields: /^\/policies(\/|$)/, title: tabs.policies, to: paths.versionPolicies },
  { fields: /^(\/\w+)*\/(limits|weight)(\/|$)/, title: tabs.limits, to: paths.versionLimits },
  { fields: /^\/security(\/|$)/, title: tabs.security, to: paths.versionSecurity },
  {
    fields: /^\/(upstream|sandbox_upstream|encoded_slash|semicolon|paths|method_override)(\/|$)/,
    title: tabs.upstream,
    to: paths.versionUpstream,
  },
  { fields: /^\/operations(\/|$)/, title: tabs.operations, to: paths.versionOperations },
];
