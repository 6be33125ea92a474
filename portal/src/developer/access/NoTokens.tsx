import { useQuery } from "@tanstack/react-query";
import { portal } from "../../api/queries/portal";
import { text } from "../../text/text";
import { Note } from "../../ui/Note";

/** Why an OAuth2 client could not call, where no access tokens are issued. */
export function NoTokens() {
  const installation = useQuery(portal).data;
  if (!installation || installation.parts.key_manager) return null;
  return <Note tone="warning">{text.developer.access.noTokens}</Note>;
}
