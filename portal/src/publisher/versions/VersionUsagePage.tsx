import { getRouteApi } from "@tanstack/react-router";
import { VersionFrame } from "./VersionFrame";
import { VersionUsage } from "./VersionUsage";

const route = getRouteApi("/shell/publisher/publish/versions/$version/usage");

export function VersionUsagePage() {
  const { version } = route.useParams();
  const { range = "24h" } = route.useSearch();
  return (
    <VersionFrame id={version}>
      {() => <VersionUsage version={version} range={range} />}
    </VersionFrame>
  );
}
