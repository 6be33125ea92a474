import type { CatalogueEntry } from "../api/queries/catalogue";

export function SoapReference({ entry }: { entry: CatalogueEntry }) {
  return <>{entry.name}</>;
}
