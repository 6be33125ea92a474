import type { CatalogueEntry } from "../../api/queries/catalogue";
import { text } from "../../text/text";
import { Download } from "../../ui/Download";

const words = text.developer.version;

/** Downloads for tools: an OpenAPI document, or the WSDL of a SOAP service. */
export function Documents({ entry }: { entry: CatalogueEntry }) {
  const base = `/api/v1/catalogue/${encodeURIComponent(entry.version)}`;
  const name = `${entry.api_name} ${entry.name}`;
  return (
    <div>
      {entry.kind === "soap" ? (
        <Download href={`${base}/contract`} name={`${name}.wsdl`}>
          {words.contract}
        </Download>
      ) : (
        <Download href={`${base}/document`} name={`${name}.json`}>
          {words.document}
        </Download>
      )}
    </div>
  );
}
