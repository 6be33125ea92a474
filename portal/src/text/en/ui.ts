// Words of the shell and of what all pages share.

export const uiWords = {
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  retry: "Try again",
  copy: "Copy",
  copied: "Copied",
  copyRefused: "Mark it and copy by hand",
  loading: "Loading",
  breadcrumbs: "Where this page is",
  requestId: "Request id",
  search: "Search",
  more: "Show more",
  typeName: (name: string) => `Type “${name}” to go on`,
  shown: (shown: string, total: string) => `${shown} of ${total}`,
  none: "none",
  never: "never",
  justNow: "just now",
  soon: "within a minute",
  /** On a button that asks something before it does that. */
  asks: (verb: string) => `${verb}…`,
  behind:
    "Saved, not yet in force. A gateway has not applied it yet, so calls may still see what was before.",
  touches: {
    subscriptions: "Subscriptions",
    of: (subscriptions: string, applications: string) =>
      `${subscriptions}, of ${applications} applications`,
    credentials: "Credentials",
    calls: "Calls, 24 h",
  },
  leave: {
    title: "Leave without saving?",
    lead: "What you typed on this page is not saved.",
    stay: "Stay",
    leave: "Leave",
  },
  command: {
    show: "Show as command",
    title: "This page as commands",
    explanation:
      "What the page has asked of the HTTP API. The lines run when pasted into a shell, after the two variables are set; the token is a personal access token of yours.",
    variables: "Variables that the lines use",
    lines: "Lines for the shell",
    makeToken: "Make an access token",
    none: "This page has asked nothing yet.",
  },
  shell: {
    skip: "Skip to the page",
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
    title: "There is no such page",
    lead: "The address leads nowhere: it was mistyped, or what it named is gone.",
    home: "To the catalogue",
  },
  forbidden: {
    title: "This page is not yours to see",
    lead: (area: string, role: string) =>
      `${area} is for people with the role ${role}. An administrator can give it to you.`,
  },
  broken: {
    title: "The page has failed",
    lead: "This is a fault of the portal, not yours. What was saved is saved.",
    reload: "Load it again",
  },
};
