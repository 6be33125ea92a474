// Texts about moving an application from a deprecated version to its successor.

export const movingWords = {
  move: (version: string) => `Move to ${version}`,
  label: (version: string, from: string) => `Move to ${version}: ${from}`,
  see: (version: string) => `See ${version}`,
  subscribed: (version: string) => `Subscribed to ${version} too`,
  title: (application: string, version: string) => `Move ${application} to ${version}`,
  lead: (application: string, version: string) =>
    `It subscribes ${application} to ${version}. Its credentials stay the same and work for both versions.`,
  breaks: (n: string) => (n === "1" ? "1 change breaks calls" : `${n} changes break calls`),
  breaksNothing: "No change is known to break calls.",
  truncated: "There are more changes than can be listed: see the reference of both versions.",
  unjudged: (n: string) => `${n} to check, which may break calls`,
  all: "Show all changes",
  removed: "The operation is gone",
  general: "The whole version",
  notDescribed:
    "One of the versions has no OpenAPI document, so only operations and credentials were compared.",
  reference: (version: string) => `Reference of ${version}`,
  address: "New address",
  plan: "Plan",
  choosePlan: (version: string, plan: string) =>
    `${version} does not offer ${plan}. Choose a plan.`,
  ways: { key: "API keys", client: "OAuth2 clients", basic_user: "HTTP Basic users" },
  lost: (version: string, ways: string) =>
    `${version} does not accept ${ways}. Create another credential of this application for it.`,
  anew: (scopes: string, publisher: string) =>
    `Granted scopes do not move. ${publisher} must approve these anew: ${scopes}.`,
  byApproval: (scopes: string, publisher: string) =>
    `${publisher} must approve these scopes before the application can use them: ${scopes}.`,
  aPublisher: "The publisher",
  stays: (from: string) =>
    `The subscription to ${from} stays until you end it. Until then the application can call both versions. Limits of the new subscription start from zero; limits of the application go on.`,
  whatChanges: "What changes",
  done: (application: string, version: string) => `${application} is subscribed to ${version}.`,
  /** The subscription cannot be used yet, or not everywhere. */
  notYet: (application: string, version: string, status: string) =>
    `The subscription of ${application} to ${version} is ${status}.`,
  oldStays: (from: string) => `The subscription to ${from} stays until you end it.`,
};
