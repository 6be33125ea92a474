import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type CatalogueEntry, contractDocuments } from "../api/queries/catalogue";
import { text } from "../text/text";
import { OperationDetails } from "./OperationDetails";
import { Reference } from "./Reference";
import { locationsOf } from "./soap/contract";
import { describeSoap } from "./soap/described";

const words = text.reference;

/** The operations of a SOAP service, by its contract. */
export default function SoapReference({ entry }: { entry: CatalogueEntry }) {
  const query = useQuery(contractDocuments(entry.version, locationsOf));
  const documents = query.data;
  const described = useMemo(() => documents && describeSoap(documents), [documents]);
  const source = { path: "contract", ending: "wsdl", label: words.wsdl };
  return (
    <Reference entry={entry} query={query} contents={described?.contents} source={source}>
      {(head) => described && <OperationDetails entry={entry} described={described} head={head} />}
    </Reference>
  );
}
