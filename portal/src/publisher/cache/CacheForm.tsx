// The fields of a cache: of the version, or of some operations.

import { useState } from "react";
import type { Api } from "../../api/queries/apis";
import type { Share } from "../../api/queries/cache";
import type { Configuration } from "../../api/queries/versions";
import { sentence } from "../../text/sentence";
import { text } from "../../text/text";
import { Checkbox } from "../../ui/Checkbox";
import { Disclosure } from "../../ui/Disclosure";
import { TextField, useFaults, useOwnFault } from "../../ui/Field";
import { Note } from "../../ui/Note";
import { RadioGroup } from "../../ui/RadioGroup";
import { ListField } from "../policies/StepField";
import { KeyFacts } from "./KeyFacts";
import type { CacheFields } from "./cache_fields";

const words = text.publisher.version.cache;
const SHARES: readonly Share[] = ["application", "user", "plan", "all"];

interface CacheFormProps {
  kind: Api["kind"];
  draft: Configuration;
  cache: CacheFields;
  /** JSON pointer of the cache in the draft. */
  pointer: string;
  onChange: (change: Partial<CacheFields>) => void;
}

export function CacheForm({ kind, draft, cache, pointer, onChange }: CacheFormProps) {
  const fault = useOwnFault(pointer);
  return (
    <>
      {fault !== undefined && <Note tone="bad">{fault}</Note>}
      <RadioGroup
        label={words.share}
        value={cache.share}
        choices={SHARES.map((value) => ({ value, ...words.shares[value] }))}
        onChange={(share) => onChange({ share })}
        pointer={`${pointer}/share`}
      />
      <TextField
        label={words.ttl}
        value={cache.ttl}
        onChange={(ttl) => onChange({ ttl })}
        pointer={`${pointer}/ttl_s`}
        type="number"
        hint={kind === "rest" ? words.ttlHint : words.ttlNeeded}
      />
      {(kind === "rest" || cache.query !== null) && (
        <QueryFields cache={cache} pointer={pointer} onChange={onChange} />
      )}
      <ListField
        label={words.headers}
        value={cache.headers}
        onChange={(headers) => onChange({ headers })}
        pointer={`${pointer}/headers`}
        hint={words.headersHint}
      />
      <ListField
        label={words.pass}
        value={cache.pass}
        onChange={(pass) => onChange({ pass })}
        pointer={`${pointer}/pass`}
        hint={words.passHint}
        placeholder="x-correlation-id"
      />
      <StaleFields cache={cache} pointer={pointer} onChange={onChange} />
      <OtherFields cache={cache} pointer={pointer} onChange={onChange} />
      <KeyFacts cache={cache} draft={draft} />
    </>
  );
}

type PartProps = Pick<CacheFormProps, "cache" | "pointer" | "onChange">;

function QueryFields({ cache: { query }, pointer, onChange }: PartProps) {
  return (
    <>
      <RadioGroup
        label={words.query}
        value={query === null ? "whole" : "some"}
        choices={[
          { value: "whole", label: words.wholeQuery },
          { value: "some", label: words.someQuery, detail: words.someQueryHint },
        ]}
        onChange={(choice) => onChange({ query: choice === "some" ? "" : null })}
      />
      {query !== null && (
        <ListField
          label={words.queryNames}
          value={query}
          onChange={(names) => onChange({ query: names })}
          pointer={`${pointer}/query`}
          hint={words.onePerLine}
        />
      )}
    </>
  );
}

/** Whether any of the fields has a fault, so that their section must be open. */
function useHasFault(pointer: string, names: readonly string[]): boolean {
  const faults = useFaults(pointer);
  return faults.some(({ field }) => names.some((it) => field.startsWith(`${pointer}/${it}`)));
}

function StaleFields({ cache, pointer, onChange }: PartProps) {
  const hasFault = useHasFault(pointer, ["stale_", "negative_s"]);
  const isSet = [cache.staleWhile, cache.staleError, cache.negative].some((it) => it !== "");
  // Emptying a field must not fold the section.
  const [wasSet] = useState(isSet);
  const negative = useFaults(`${pointer}/negative_s`).map(({ field, detail }) => {
    const status = field.slice(`${pointer}/negative_s/`.length);
    return status === "" ? sentence(detail) : words.ofStatus(status, sentence(detail));
  });
  return (
    <Disclosure key={String(hasFault)} title={words.stale} isOpen={hasFault || wasSet}>
      <TextField
        label={words.staleWhile}
        value={cache.staleWhile}
        onChange={(staleWhile) => onChange({ staleWhile })}
        pointer={`${pointer}/stale_while_revalidate_s`}
        type="number"
        hint={words.staleWhileHint}
      />
      <TextField
        label={words.staleError}
        value={cache.staleError}
        onChange={(staleError) => onChange({ staleError })}
        pointer={`${pointer}/stale_if_error_s`}
        type="number"
        hint={words.staleErrorHint}
      />
      <TextField
        label={words.negative}
        value={cache.negative}
        onChange={(lines) => onChange({ negative: lines })}
        pointer={`${pointer}/negative_s`}
        fault={negative.length === 0 ? undefined : negative.join(" ")}
        lines={2}
        mono
        placeholder="404 5"
        hint={words.negativeHint}
      />
    </Disclosure>
  );
}

function OtherFields({ cache, pointer, onChange }: PartProps) {
  const hasFault = useHasFault(pointer, ["entry_bytes_max", "wait_ms"]);
  return (
    <Disclosure key={String(hasFault)} title={words.more} isOpen={hasFault}>
      <TextField
        label={words.entryBytes}
        value={cache.entryBytes}
        onChange={(entryBytes) => onChange({ entryBytes })}
        pointer={`${pointer}/entry_bytes_max`}
        type="number"
        hint={words.entryBytesHint}
      />
      <TextField
        label={words.waitMs}
        value={cache.waitMs}
        onChange={(waitMs) => onChange({ waitMs })}
        pointer={`${pointer}/wait_ms`}
        type="number"
        hint={words.waitMsHint}
      />
      <Checkbox
        isSelected={cache.obeysRequest}
        onChange={(obeysRequest) => onChange({ obeysRequest })}
        hint={words.obeyHint}
      >
        {words.obey}
      </Checkbox>
      <Checkbox
        isSelected={cache.showsStatus}
        onChange={(showsStatus) => onChange({ showsStatus })}
        hint={words.showStatusHint}
      >
        {words.showStatus}
      </Checkbox>
    </Disclosure>
  );
}
