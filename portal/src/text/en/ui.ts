// Texts of the shell and those that all pages share.

import { limitWords } from "./limits";

export const uiWords = {
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  retry: "Try again",
  copy: "Copy",
  copied: "Copied",
  copyRefused: "Select the text and copy it",
  loading: "Loading",
  breadcrumbs: "Breadcrumbs",
  requestId: "Request id",
  search: "Search",
  more: "Show more",
  all: "Show all",
  csv: "Download CSV",
  csvCut: (rows: string, total: string) => `The file has the first ${rows} of ${total}.`,
  typeName: (name: string) => `Type “${name}” to confirm`,
  shown: (shown: string, total: string) => `${shown} of ${total} shown`,
  none: "none",
  partFailed: "This part cannot be shown.",
  textFailed: "This text cannot be formatted. The original:",
  picture: "Picture",
  table: "Table",
  showPassword: "Show the password",
  never: "never",
  justNow: "just now",
  soon: "within a minute",
  /** Label of a button that opens a dialog first. */
  withEllipsis: (verb: string) => `${verb}…`,
  behind:
    "Saved, but not in effect yet. A gateway has not applied it, so calls may still see the previous state.",
  limits: limitWords,
  touches: {
    subscriptions: "Subscriptions",
    of: (subscriptions: string, applications: string) =>
      `${subscriptions}, of ${applications} applications`,
    credentials: "Credentials",
    calls: "Calls, 24 h",
  },
  leave: {
    title: "Leave without saving?",
    lead: "Your changes on this page are not saved.",
    stay: "Stay",
    leave: "Leave",
  },
  command: {
    show: "Show as command",
    title: "This page as commands",
    explanation:
      "The requests that this page has sent to the HTTP API. Set the variables, then paste the lines into a shell.",
    token: "The token is one of your personal access tokens.",
    variables: "Variables",
    lines: "Shell commands",
    makeToken: "Create access token",
    none: "This page has sent no requests yet.",
  },
  shell: {
    skip: "Skip to content",
    menu: "Menu",
    areas: "Areas",
    pages: "Pages",
    account: "Account",
    signOut: "Sign out",
    developer: "Developer",
    publisher: "Publisher",
    admin: "Admin",
    catalogue: "Catalogue",
    applications: "Applications",
    explain: "Explain a refusal",
    apis: "APIs",
    status: "Status",
    users: "Users",
    signingKeys: "Signing keys",
  },
  notFound: {
    title: "Page not found",
    lead: "The address is mistyped, or the item no longer exists.",
    home: "Go to catalogue",
  },
  forbidden: {
    title: "Access denied",
    lead: (area: string, role: string) =>
      `${area} requires the role ${role}. An administrator can grant it to you.`,
  },
  broken: {
    title: "This page failed",
    lead: "This is a bug in the portal. Saved changes are not lost.",
    reload: "Reload",
  },
};
