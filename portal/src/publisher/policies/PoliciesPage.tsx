import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { Problem } from "../../api/problem";
import { text } from "../../text/text";
import { DraftForm } from "../versions/DraftForm";
import { type Shown, VersionFrame } from "../versions/VersionFrame";
import { DryRun } from "./DryRun";
import { leadOf } from "./fault_lead";
import { PolicyEditor } from "./PolicyEditor";
import { readPolicies, writeDraft } from "./policy_fields";
import { useView } from "./use_view";

const route = getRouteApi("/shell/publisher/publish/versions/$version/policies");

export function PoliciesPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.policies}>
      {(shown) => <VersionPolicies shown={shown} />}
    </VersionFrame>
  );
}

function VersionPolicies({ shown }: { shown: Shown }) {
  const { api, version, draft } = shown;
  const [tried, setTried] = useState<Problem | null>(null);
  const view = useView();
  return (
    <DraftForm
      id={version.id}
      draft={draft}
      read={readPolicies}
      write={writeDraft}
      lead={(fields) => leadOf(fields, view)}
      beside={(fields) => (
        <DryRun
          kind={api.kind}
          version={version}
          draft={draft.value}
          fields={fields}
          onTried={setTried}
          lead={leadOf(fields, view)}
        />
      )}
    >
      {(fields, change, noted) => (
        <PolicyEditor
          kind={api.kind}
          draft={draft.value}
          fields={fields}
          onChange={change}
          tried={tried}
          noted={noted}
          view={view}
        />
      )}
    </DraftForm>
  );
}
