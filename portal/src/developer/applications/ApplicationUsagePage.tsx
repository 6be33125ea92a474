import { getRouteApi } from "@tanstack/react-router";
import { text } from "../../text/text";
import { ApplicationFrame } from "./ApplicationFrame";
import { ApplicationUsage } from "./ApplicationUsage";

const route = getRouteApi("/shell/developer/applications/$application/usage");

export function ApplicationUsagePage() {
  const { application } = route.useParams();
  const { range = "24h" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ApplicationFrame id={application} tab={text.developer.usage.title}>
      {() => (
        <ApplicationUsage
          application={application}
          range={range}
          onRange={(chosen) => void navigate({ search: { range: chosen } })}
        />
      )}
    </ApplicationFrame>
  );
}
