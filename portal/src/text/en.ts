// English. The API's own sentences are shown as they come; these are the portals' own.
//
// A module and no object: what a page loads are the files whose words it names.

export { accountWords as account, signInWords as signIn } from "./en/account";
export { chartsWords as charts } from "./en/charts";
export * as developer from "./en/developer";
export { referenceWords as reference } from "./en/reference";
export { publisherWords as publisher } from "./en/publisher";
export { adminWords as admin } from "./en/admin";
export { uiWords as ui } from "./en/ui";
export { nounWords as nouns } from "./en/nouns";
