// The portals' texts in the current language. A second language is a file beside `en.ts` with the
// same exports.

/** Locale of numbers and times: days before months, and a 24-hour clock. */
export const language = "en-GB";

export * as text from "./en";
