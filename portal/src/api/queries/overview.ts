// What a publisher sees first: versions of APIs with their calls of the last day and what waits.

import type { components } from "../schema";
import { client, content } from "../client";
import { listing } from "./pages";

export type VersionOverview = components["schemas"]["VersionOverview"];
type Kind = components["schemas"]["Kind"];
type State = components["schemas"]["State"];

/** The states that versions can be in, in this release. */
export const STATES: readonly State[] = ["created", "prototyped", "published", "blocked"];

/** What the list is asked for, as the address has it. */
export interface OverviewSearch {
  q?: string;
  kind?: Kind;
  state?: State;
}

export const OVERVIEW_KEY = ["overview"];
const PAGE = 50;

export const overview = (search: OverviewSearch) =>
  listing([...OVERVIEW_KEY, search], (page) => {
    const query = { sort: "name" as const, ...search, ...page, limit: PAGE };
    return content(client.GET("/api/v1/versions", { params: { query } }));
  });
