// Above a list: search, filters and order, in one line where there is room. What is chosen is in
// the address, so that it may be shared and Back undoes it.

import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { type Change, changed } from "../search_parameters";
import { Select } from "./Field";
import styles from "./Filters.module.css";
import { SearchField } from "./SearchField";

/** A parameter of the address that has one of some values, or none. */
interface Filter<Value extends string> {
  label: string;
  /** What holds while none is chosen. */
  any: string;
  names: Readonly<Record<Value, string>>;
  /** Those that are offered, where not all that have a name are. */
  values?: readonly Value[];
}

/** What a list may be asked for: words, and one of the values of each filter. */
export interface Search {
  q?: string;
  [filter: string]: string | undefined;
}

export interface FiltersProps<S extends Search> {
  /** What the address says. */
  search: S;
  /** Where words are looked for. */
  label: string;
  filters: { readonly [K in Exclude<keyof S, "q">]-?: Filter<Extract<S[K], string>> };
}

/** What stands for no choice. */
const ANY = "any";

export function Filters<S extends Search>({ search, label, filters }: FiltersProps<S>) {
  const navigate = useNavigate();
  const change = useCallback(
    (change: Change<Search>) => {
      // Each letter typed is no step of Back.
      const replace = "q" in change;
      void navigate({ to: ".", search: (before) => changed(before, change), replace });
    },
    [navigate],
  );
  const onSearch = useCallback((q: string) => change({ q: q || undefined }), [change]);
  const all = Object.entries<Filter<string>>(filters);
  return (
    <div className={styles["filters"]} role="search">
      <SearchField label={label} value={search.q ?? ""} onSearch={onSearch} />
      {all.map(([name, { label, any, names, values = Object.keys(names) }]) => (
        <Select
          key={name}
          label={label}
          isLabelHidden
          value={search[name] ?? ANY}
          choices={[
            { value: ANY, label: any },
            ...values.map((value) => ({ value, label: names[value] ?? value })),
          ]}
          onChange={(value) => change({ [name]: value === ANY ? undefined : value })}
        />
      ))}
    </div>
  );
}

/** Whether a search leaves something out: an order does not. */
export function isNarrowed(search: Search): boolean {
  return Object.entries(search).some(([name, value]) => name !== "sort" && value !== undefined);
}
