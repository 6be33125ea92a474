import { getRouteApi } from "@tanstack/react-router";
import { text } from "../../text/text";
import { CredentialsTab } from "../credentials/CredentialsTab";
import { clientKind } from "../credentials/client";

const route = getRouteApi("/shell/developer/applications/$application/clients");

export function ApplicationClientsPage() {
  const { application } = route.useParams();
  return (
    <CredentialsTab
      application={application}
      kind={clientKind}
      tab={text.developer.application.clients}
    />
  );
}
