// The words of the portals in the language that is shown. A second language is a file beside
// `en.ts` with the same exports.

export const language = "en";

export * as text from "./en";
