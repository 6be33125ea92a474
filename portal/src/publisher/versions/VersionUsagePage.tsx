import { getRouteApi } from "@tanstack/react-router";
import { text } from "../../text/text";
import { VersionFrame } from "./VersionFrame";
import { VersionUsage } from "./VersionUsage";

const route = getRouteApi("/shell/publisher/publish/versions/$version/usage");

export function VersionUsagePage() {
  const { version } = route.useParams();
  const { range = "24h" } = route.useSearch();
  return (
    <VersionFrame id={version} tab={text.publisher.version.tabs.usage}>
      {() => <VersionUsage version={version} range={range} />}
    </VersionFrame>
  );
}
