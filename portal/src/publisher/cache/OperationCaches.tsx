// The operations with a cache of their own, each entry a row that unfolds to its fields.

import { useId, useState } from "react";
import type { Api } from "../../api/queries/apis";
import type { Configuration } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Checkbox } from "../../ui/Checkbox";
import { Empty } from "../../ui/Empty";
import { FoldedRow } from "../../ui/FoldedRow";
import { OperationsChoice } from "../policies/OperationsChoice";
import { operationNames, operationsText } from "../policies/operation_names";
import { CacheForm } from "./CacheForm";
import {
  type Entry,
  type VersionCacheFields,
  isGet,
  withCache,
  withoutCache,
} from "./cache_entries";
import { type CacheFields, NEW_CACHE } from "./cache_fields";

const words = text.publisher.version.cache;
/** Proposed for services as REST, which do not state for how long responses are fresh. */
const SOAP_TTL_S = "60";

interface OperationCachesProps {
  kind: Api["kind"];
  draft: Configuration;
  fields: VersionCacheFields;
  onChange: (fields: Partial<VersionCacheFields>) => void;
}

export function OperationCaches({ kind, draft, fields, onChange }: OperationCachesProps) {
  const { cache, entries } = fields;
  const add = useId();
  const [isAdding, setAdding] = useState(false);
  /** The operations of the open row: they outlast changes of its position. */
  const [open, setOpen] = useState<string>();
  const isStored = cache?.isOn ?? false;
  const isShown = ({ rest, cache: own }: Entry) =>
    own !== null || (isStored && rest.mode === "replace" && rest.operations.some(isGet));
  const rows = entries.flatMap((entry, index) => (isShown(entry) ? [{ entry, index }] : []));
  const cached = entries.flatMap((it) => (it.cache === null ? [] : it.rest.operations));
  const proposed = operationNames(draft).filter(isGet);
  const isNoneLeft = proposed.every((name) => cached.includes(name));
  const choose = (chosen: readonly string[]) => {
    const proposal = cache ?? NEW_CACHE;
    const own = kind === "rest" ? proposal : { ...proposal, ttl: proposal.ttl || SOAP_TTL_S };
    onChange({ entries: withCache(entries, chosen, own) });
    setOpen(chosen[0]);
    setAdding(false);
  };
  return (
    <Card
      title={words.own.title}
      note={words.own.note}
      actions={
        <Button
          id={add}
          small
          why={isNoneLeft ? words.own.noGet : undefined}
          onPress={() => setAdding(true)}
        >
          {words.own.add}
        </Button>
      }
    >
      {rows.length === 0 && <Empty>{isStored ? words.own.none : words.own.noneHere}</Empty>}
      {rows.map(({ entry, index }) => (
        <OperationCache
          key={entry.rest.operations[0] ?? index}
          kind={kind}
          draft={draft}
          entry={entry}
          pointer={`/policies/operations/${index}/cache`}
          isOpen={open !== undefined && entry.rest.operations.includes(open)}
          onToggle={(isOpen) => setOpen(isOpen ? entry.rest.operations[0] : undefined)}
          onChange={(own) => onChange({ entries: entries.with(index, { ...entry, cache: own }) })}
          onRemove={() => {
            onChange({ entries: withoutCache(entries, index) });
            // The pressed button disappears with its row.
            document.getElementById(add)?.focus();
          }}
        />
      ))}
      {isAdding && (
        <OperationsChoice
          title={words.own.choose}
          operations={proposed}
          taken={cached}
          chosen={[]}
          onChoose={choose}
          onClose={() => setAdding(false)}
        />
      )}
    </Card>
  );
}

interface OperationCacheProps {
  kind: Api["kind"];
  draft: Configuration;
  entry: Entry;
  pointer: string;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  onChange: (cache: CacheFields) => void;
  onRemove: () => void;
}

function OperationCache(props: OperationCacheProps) {
  const { kind, draft, entry, pointer, isOpen, onToggle, onChange, onRemove } = props;
  const { rest, cache } = entry;
  const name = operationsText(rest.operations);
  return (
    <FoldedRow
      name={name}
      summary={summaryOf(cache)}
      pointer={pointer}
      isOpen={isOpen}
      onToggle={cache === null ? undefined : onToggle}
      actions={
        <Button small aria-label={words.own.removeOf(name)} onPress={onRemove}>
          {words.own.remove}
        </Button>
      }
      words={words.own.row}
    >
      {cache && (
        <>
          {rest.operations.length > 1 && <p>{rest.operations.join(", ")}</p>}
          <Checkbox
            isSelected={cache.isOn}
            onChange={(isOn) => onChange({ ...cache, isOn })}
            hint={words.own.isOnHint}
          >
            {words.isOn}
          </Checkbox>
          {cache.isOn && (
            <CacheForm
              kind={kind}
              draft={draft}
              cache={cache}
              pointer={pointer}
              onChange={(changed) => onChange({ ...cache, ...changed })}
            />
          )}
        </>
      )}
    </FoldedRow>
  );
}

function summaryOf(cache: CacheFields | null): string {
  if (cache === null) return words.own.replaced;
  if (!cache.isOn) return words.own.exempt;
  const fresh = cache.ttl === "" ? words.own.asStated : words.own.fresh(cache.ttl);
  return `${fresh}, ${words.own.sharedBy(words.shares[cache.share].label)}`;
}
