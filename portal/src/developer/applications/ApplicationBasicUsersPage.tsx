import { getRouteApi } from "@tanstack/react-router";
import { text } from "../../text/text";
import { CredentialsTab } from "../credentials/CredentialsTab";
import { basicUserKind } from "../credentials/basic_user";

const route = getRouteApi("/shell/developer/applications/$application/basic-users");

export function ApplicationBasicUsersPage() {
  const { application } = route.useParams();
  return (
    <CredentialsTab
      application={application}
      kind={basicUserKind}
      tab={text.developer.application.basicUsers}
    />
  );
}
