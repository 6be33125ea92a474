import { text } from "../../text/text";
import { Page } from "../../ui/Page";

export function CataloguePage() {
  return <Page title={text.developer.catalogue.title}>…</Page>;
}
