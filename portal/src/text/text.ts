// The words of the portals in the language that is shown. A second language is a file beside
// `en.ts` with the same exports.

/** Whose numbers and times are shown: with days before months, and twenty-four hours. */
export const language = "en-GB";

export * as text from "./en";
