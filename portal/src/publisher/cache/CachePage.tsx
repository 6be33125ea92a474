import { getRouteApi } from "@tanstack/react-router";
import type { Api } from "../../api/queries/apis";
import type { Configuration } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Checkbox } from "../../ui/Checkbox";
import { DraftForm } from "../versions/DraftForm";
import { type Shown, VersionFrame } from "../versions/VersionFrame";
import { CacheForm } from "./CacheForm";
import { CacheUse } from "./CacheUse";
import { OperationCaches } from "./OperationCaches";
import {
  type VersionCacheFields,
  cachedOperations,
  readCaches,
  writeCaches,
} from "./cache_entries";
import { NEW_CACHE } from "./cache_fields";

const words = text.publisher.version.cache;
const route = getRouteApi("/shell/publisher/publish/versions/$version/cache");

export function CachePage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.cache}>
      {(shown) => <VersionCache shown={shown} />}
    </VersionFrame>
  );
}

function VersionCache({ shown: { api, version, draft } }: { shown: Shown }) {
  if (api.kind === "soap") {
    return (
      <Card title={words.title}>
        <p>{words.soap}</p>
      </Card>
    );
  }
  return (
    <DraftForm
      id={version.id}
      draft={draft}
      read={readCaches}
      write={writeCaches}
      beside={() => <CacheUse version={version.id} operations={cachedOperations(draft.value)} />}
    >
      {(fields, change) => (
        <>
          <VersionCard kind={api.kind} draft={draft.value} fields={fields} onChange={change} />
          <OperationCaches kind={api.kind} draft={draft.value} fields={fields} onChange={change} />
        </>
      )}
    </DraftForm>
  );
}

interface VersionCardProps {
  kind: Api["kind"];
  draft: Configuration;
  fields: VersionCacheFields;
  onChange: (fields: Partial<VersionCacheFields>) => void;
}

/** The cache of the version; services as REST have one only if the API gave them one. */
function VersionCard({ kind, draft, fields: { cache }, onChange }: VersionCardProps) {
  if (kind === "soap_to_rest" && cache === null) {
    return (
      <Card title={words.title}>
        <p>{words.soapToRest}</p>
      </Card>
    );
  }
  return (
    <Card title={words.title} note={words.note}>
      <Checkbox
        isSelected={cache?.isOn ?? false}
        onChange={(isOn) => onChange({ cache: isOn ? NEW_CACHE : null })}
        hint={words.isOnHint}
      >
        {words.isOn}
      </Checkbox>
      {cache?.isOn && (
        <CacheForm
          kind={kind}
          draft={draft}
          cache={cache}
          pointer="/policies/cache"
          onChange={(changed) => onChange({ cache: { ...cache, ...changed } })}
        />
      )}
    </Card>
  );
}
