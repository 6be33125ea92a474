// The impact of a change, from a dry run: number of subscriptions, credentials, and calls of the
// last day.

import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import type { Impact } from "../api/queries/impact";
import { count } from "../text/format";
import { text } from "../text/text";
import { Facts } from "./Card";
import { Loaded } from "./Loaded";

const words = text.ui.touches;

type ImpactQuery<K extends readonly unknown[]> = UseQueryOptions<Impact, Error, Impact, K>;

export function Touches<K extends readonly unknown[]>({ query }: { query: ImpactQuery<K> }) {
  return (
    <Loaded query={useQuery(query)}>
      {({ subscriptions, applications, credentials, calls_last_day }) => (
        <Facts
          facts={[
            [
              words.subscriptions,
              applications > 1
                ? words.of(count(subscriptions), count(applications))
                : count(subscriptions),
            ],
            [words.credentials, count(credentials)],
            [words.calls, count(calls_last_day)],
          ]}
        />
      )}
    </Loaded>
  );
}
