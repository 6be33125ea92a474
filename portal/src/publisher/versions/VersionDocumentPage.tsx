import { getRouteApi } from "@tanstack/react-router";
import { text } from "../../text/text";
import { RestDocument } from "../document/RestDocument";
import { SoapDocument } from "../document/SoapDocument";
import { VersionFrame } from "./VersionFrame";

const route = getRouteApi("/shell/publisher/publish/versions/$version/document");

export function VersionDocumentPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.document}>
      {(shown) =>
        shown.api.kind === "rest" ? (
          <RestDocument key={id} shown={shown} />
        ) : (
          <SoapDocument key={id} shown={shown} />
        )
      }
    </VersionFrame>
  );
}
