// The words of the portals in the language that is shown. A second language is a file beside
// `en.ts` of the same type.

import { en } from "./en";

export const language = "en";

export const text: typeof en = en;
