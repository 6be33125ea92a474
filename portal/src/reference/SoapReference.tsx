import { useQuery } from "@tanstack/react-query";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { text } from "../text/text";
import { OperationDetails } from "./OperationDetails";
import { Reference } from "./Reference";
import { soapContract } from "./soap/query";

const words = text.reference;

/** The operations of a SOAP service, from its contract. */
export function SoapReference({ entry }: { entry: CatalogueEntry }) {
  const query = useQuery(soapContract(entry.version));
  const described = query.data;
  const source = { path: "contract", ending: "wsdl", label: words.wsdl };
  return (
    <Reference entry={entry} query={query} contents={described?.contents} source={source}>
      {(head) => described && <OperationDetails entry={entry} described={described} head={head} />}
    </Reference>
  );
}
