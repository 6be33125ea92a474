// The publisher's overview: versions with their calls of the last day and pending work.

import type { components } from "../schema";
import { type Searched, newestFirst, oneOf, text } from "../../search_parameters";
import { client, content } from "../client";
import { listing } from "./pages";

export type VersionOverview = components["schemas"]["VersionOverview"];
type Kind = components["schemas"]["Kind"];
type State = components["schemas"]["State"];

export const KINDS = ["rest", "soap", "soap_to_rest"] as const satisfies readonly Kind[];

/** The states of versions, in the order of the lifecycle. */
export const STATES = [
  "created",
  "prototyped",
  "published",
  "blocked",
  "deprecated",
  "retired",
] as const satisfies readonly State[];

/** Search parameters of the list. */
export const OVERVIEW_SEARCH = {
  q: text,
  kind: oneOf(...KINDS),
  state: oneOf(...STATES),
  sort: newestFirst,
};
type OverviewSearch = Searched<typeof OVERVIEW_SEARCH>;

export const OVERVIEW_KEY = ["overview"];

export const overview = (search: OverviewSearch) =>
  listing([...OVERVIEW_KEY, search], (page) => {
    const query = { ...search, sort: search.sort ?? "name", ...page } as const;
    return content(client.GET("/api/v1/versions", { params: { query } }));
  });

/** The versions of one API, newest first. */
export const versionsOfApi = (api: string) =>
  listing([...OVERVIEW_KEY, api], (page) => {
    const query = { api, sort: "-created", ...page } as const;
    return content(client.GET("/api/v1/versions", { params: { query } }));
  });
