// English texts of the portals. Texts from the API are shown unchanged.
//
// This is a module, not an object, so that a page loads only the files that it uses. For that, the
// files run no code at load: with a call, `new`, or a member of another file's object outside of
// functions, they would be on every page. And pages use members of `developer`, `publisher` and its
// `version`, not these modules as values.

export { accountWords as account, signInWords as signIn } from "./en/account";
export { chartsWords as charts } from "./en/charts";
export * as developer from "./en/developer";
export { referenceWords as reference } from "./en/reference";
export * as publisher from "./en/publisher";
export { adminWords as admin } from "./en/admin";
export { uiWords as ui } from "./en/ui";
export { nounWords as nouns } from "./en/nouns";
export { limitWords as limits } from "./en/limits";
export { limitSentence } from "./en/limit_sentence";
export { deprecationWords as deprecation } from "./en/deprecation";
export { movingWords as moving } from "./en/moving";
