// Revisions of a version: all of them, or the comparison that the address names.

import { getRouteApi } from "@tanstack/react-router";
import { text } from "../../text/text";
import { Card, Facts } from "../../ui/Card";
import { ChooseSides, isComparison } from "./ChooseSides";
import { Comparison } from "./Comparison";
import { useRevisionDialog } from "./RevisionActions";
import { RevisionList } from "./RevisionList";
import { type Shown, VersionFrame } from "./VersionFrame";

const words = text.publisher.version.revisions;
const route = getRouteApi("/shell/publisher/publish/versions/$version/revisions");

export function VersionRevisionsPage() {
  const { version: id } = route.useParams();
  const tab = isComparison(route.useSearch()) ? words.compare.tab : words.title;
  return (
    <VersionFrame id={id} tab={tab} isDeployPrimary>
      {(shown) => <Revisions shown={shown} />}
    </VersionFrame>
  );
}

function Revisions({ shown }: { shown: Shown }) {
  const { version } = shown;
  const search = route.useSearch();
  const { act, dialog } = useRevisionDialog(shown);
  return (
    <>
      <ChooseSides version={version} search={search} />
      {isComparison(search) ? (
        <Comparison shown={shown} search={search} onAct={act} />
      ) : (
        <>
          <RevisionList id={version.id} onAct={act} />
          <Verbs />
        </>
      )}
      {dialog}
    </>
  );
}

/** What each of the two verbs acts on. */
function Verbs() {
  const { deploy, editFrom } = words.verbs;
  return (
    <Card>
      <Facts
        facts={[
          [deploy.name, deploy.acts],
          [editFrom.name, editFrom.acts],
        ]}
      />
    </Card>
  );
}
