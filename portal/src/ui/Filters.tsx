// Search, filters and sort order above a list, in one line if there is room. They are in the
// address, so they can be shared, and Back undoes them.

import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { type Change, changed } from "../search_parameters";
import { Select } from "./Field";
import styles from "./Filters.module.css";
import { SearchField } from "./SearchField";

/** A search parameter with one of several values, or none. */
interface Filter<Value extends string> {
  label: string;
  /** Label while no value is chosen. */
  any: string;
  names: Readonly<Record<Value, string>>;
  /** The offered values, if not all named ones. */
  values?: readonly Value[];
}

/** The search of a list: text, and at most one value of each filter. */
export interface Search {
  q?: string;
  [filter: string]: string | undefined;
}

export interface FiltersProps<S extends Search> {
  /** The search parameters in the address. */
  search: S;
  /** Label of the search field. */
  label: string;
  filters: { readonly [K in Exclude<keyof S, "q">]-?: Filter<Extract<S[K], string>> };
}

/** Stands for no choice. */
const ANY = "any";

export function Filters<S extends Search>({ search, label, filters }: FiltersProps<S>) {
  const navigate = useNavigate();
  const change = useCallback(
    (change: Change<Search>) => {
      // Typing must not add history entries.
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

/** Checks whether a search excludes rows; a sort order does not. */
export function isNarrowed(search: Search): boolean {
  return Object.entries(search).some(([name, value]) => name !== "sort" && value !== undefined);
}
