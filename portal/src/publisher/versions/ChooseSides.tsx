// The choice of the two sides of a comparison: contents of a version, the first one also those of
// another version of the API.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  type Revision,
  type RevisionsSearch,
  type Side,
  readSide,
  revisions,
} from "../../api/queries/revisions";
import type { Version } from "../../api/queries/versions";
import { paths } from "../../paths";
import { type Change, changed } from "../../search_parameters";
import { dateTime } from "../../text/format";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { type Choice, Select } from "../../ui/Field";
import { useSiblings } from "../lifecycle/use_siblings";
import styles from "./Comparison.module.css";

const words = text.publisher.version.revisions;

/** A version with contents to choose from. */
interface Source {
  version: string;
  name: string;
  deployed_revision?: number | null | undefined;
}

interface ChooseSidesProps {
  version: Version;
  /** The compared sides, if a comparison is open. */
  search: RevisionsSearch;
}

/** Both sides to choose from; a choice opens the comparison. */
export function ChooseSides({ version, search }: ChooseSidesProps) {
  const { id, name, deployed_revision } = version;
  const navigate = useNavigate();
  const own: Source = { version: id, name, deployed_revision };
  const others = useSiblings(version);
  const older = others.find((other) => other.version === search.from_version) ?? own;
  const ofOlder = useInfiniteQuery(revisions(older.version).pages).data?.items;
  const ofNewer = useInfiniteQuery(revisions(id).pages).data?.items;
  const { from = defaultOf(older, ofOlder), to = "draft" } = search;
  // There is nothing to compare a draft with.
  if (from === undefined && others.length === 0) return null;
  const compare = (change: Change<RevisionsSearch>) => {
    const sides: RevisionsSearch = { ...search, from: from ?? "draft", to };
    void navigate(paths.versionRevisions(id, changed(sides, change)));
  };
  const ofVersion = (chosen: string) => {
    const other = others.find((it) => it.version === chosen);
    if (!other) {
      return compare({ from: defaultOf(own, ofNewer) ?? "draft", from_version: undefined });
    }
    compare({ from: other.deployed_revision == null ? "draft" : "deployed", from_version: chosen });
  };
  return (
    <Card title={words.compare.title}>
      <div className={styles["sides"]}>
        {others.length > 0 && (
          <Select
            label={words.compare.version}
            value={older.version}
            choices={[own, ...others].map((it) => ({ value: it.version, label: it.name }))}
            onChange={ofVersion}
          />
        )}
        <Select
          label={words.compare.from}
          value={String(from ?? "draft")}
          choices={choicesOf(older, ofOlder ?? [], from ?? "draft")}
          onChange={(value) => compare({ from: sideOf(value) })}
        />
        <Select
          label={words.compare.to}
          value={String(to)}
          choices={choicesOf(own, ofNewer ?? [], to)}
          onChange={(value) => compare({ to: sideOf(value) })}
        />
        {isComparison(search) ? (
          <ButtonLink {...paths.versionRevisions(id)}>{words.compare.all}</ButtonLink>
        ) : (
          <ButtonLink {...paths.versionRevisions(id, { from: from ?? "draft", to })}>
            {words.compare.compare}
          </ButtonLink>
        )}
      </div>
    </Card>
  );
}

/** Returns what a version is compared by: what is served, otherwise its newest revision, if any. */
function defaultOf(
  { deployed_revision: deployed }: Source,
  loaded: readonly Revision[] | undefined,
): Side | undefined {
  return deployed == null ? loaded?.[0]?.number : "deployed";
}

/** Returns whether the address names a comparison. */
export const isComparison = ({ from, from_version, to }: RevisionsSearch): boolean =>
  from !== undefined || from_version !== undefined || to !== undefined;

/** The value of a choice is a side as text. */
const sideOf = (value: string): Side => readSide(value) ?? Number(value);

/** Returns the sides to choose from; `chosen` may be a revision that is not loaded. */
function choicesOf(
  { deployed_revision: deployed }: Source,
  loaded: readonly Revision[],
  chosen: Side,
): Choice<string>[] {
  const choices: Choice<string>[] = [{ value: "draft", label: words.compare.draft }];
  if (deployed != null) {
    choices.push({ value: "deployed", label: words.compare.deployed(deployed) });
  }
  for (const { number, note, created_at } of loaded) {
    const detail = [dateTime(created_at), note].filter(Boolean).join(" · ");
    choices.push({ value: String(number), label: words.named(number), detail });
  }
  if (typeof chosen === "number" && !loaded.some(({ number }) => number === chosen)) {
    choices.push({ value: String(chosen), label: words.named(chosen) });
  }
  return choices;
}
