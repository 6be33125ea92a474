import { useQuery } from "@tanstack/react-query";
import { portal } from "../../api/queries/portal";
import { text } from "../../text/text";
import { Note } from "../../ui/Note";

/** A note that OAuth2 clients cannot call, if the installation issues no access tokens. */
export function NoTokens() {
  const installation = useQuery(portal).data;
  if (!installation || installation.parts.key_manager) return null;
  return <Note tone="warning">{text.developer.access.noTokens}</Note>;
}
