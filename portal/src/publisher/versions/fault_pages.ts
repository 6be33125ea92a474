// The pages of a draft, by the fields that they show.

import { paths } from "../../paths";
import { text } from "../../text/text";

const tabs = text.publisher.version.tabs;

/** The first one that shows a field counts. */
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
  {
    fields: /^((\/soap)?\/operations|\/soap\/unknown)(\/|$)/,
    title: tabs.operations,
    to: paths.versionOperations,
  },
];

/** Returns the page that shows the field with this JSON pointer, if there is one. */
export const pageOf = (pointer: string) => PAGES.find(({ fields }) => fields.test(pointer));
