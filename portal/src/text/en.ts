// English. The API's own sentences are shown as they come; these are the portals' own.

import { accountWords, signInWords } from "./en/account";
import { chartsWords } from "./en/charts";
import { developerWords } from "./en/developer";
import { referenceWords } from "./en/reference";
import { publisherWords } from "./en/publisher";
import { adminWords } from "./en/admin";
import { uiWords } from "./en/ui";
import { nounWords } from "./en/nouns";

export const en = {
  ui: uiWords,
  nouns: nounWords,
  signIn: signInWords,
  account: accountWords,
  charts: chartsWords,
  developer: developerWords,
  reference: referenceWords,
  publisher: publisherWords,
  admin: adminWords,
};
