import { text } from "../text/text";
import { Page } from "../ui/Page";

export function StatusPage() {
  return <Page title={text.admin.status.title}>…</Page>;
}
