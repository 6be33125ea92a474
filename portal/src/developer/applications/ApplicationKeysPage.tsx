import { getRouteApi } from "@tanstack/react-router";
import { text } from "../../text/text";
import { CredentialsTab } from "../credentials/CredentialsTab";
import { apiKeyKind } from "../credentials/api_key";

const route = getRouteApi("/shell/developer/applications/$application/keys");

export function ApplicationKeysPage() {
  const { application } = route.useParams();
  return (
    <CredentialsTab
      application={application}
      kind={apiKeyKind}
      tab={text.developer.application.keys}
    />
  );
}
