// The search parameters of the table of operations. They are apart from its rows because routes,
// which are part of the first load, read them.

import { type Searched, oneOf, text } from "../../search_parameters";

export const OPERATIONS_SEARCH = {
  q: text,
  show: oneOf("limits", "scopes", "unscoped", "anonymous"),
};
export type OperationsSearch = Searched<typeof OPERATIONS_SEARCH>;
