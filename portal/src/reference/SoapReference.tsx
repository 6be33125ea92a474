import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type CatalogueEntry, contractDocuments } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Download } from "../ui/Download";
import { Loaded } from "../ui/Loaded";
import { Page } from "../ui/Page";
import { ChosenOperation, crumbsOf } from "./ChosenOperation";
import { locationsOf } from "./soap/contract";
import { describeSoap } from "./soap/described";

const words = text.reference;

/** The operations of a SOAP service, by its contract. */
export function SoapReference({ entry }: { entry: CatalogueEntry }) {
  const query = useQuery(contractDocuments(entry.version, locationsOf));
  const documents = query.data;
  const described = useMemo(() => documents && describeSoap(documents), [documents]);
  if (described === undefined) {
    return (
      <Page title={words.title} crumbs={crumbsOf(entry)}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const base = `/api/v1/catalogue/${encodeURIComponent(entry.version)}`;
  const download = (
    <Download
      href={`${base}/contract`}
      name={`${entry.api_name} ${entry.name}.wsdl`}
      isSmall={false}
    >
      {words.wsdl}
    </Download>
  );
  return <ChosenOperation entry={entry} described={described} download={download} />;
}
