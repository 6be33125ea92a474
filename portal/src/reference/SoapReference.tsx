import { queryOptions, useQuery } from "@tanstack/react-query";
import { type CatalogueEntry, contractDocuments } from "../api/queries/catalogue";
import { text } from "../text/text";
import { OperationDetails } from "./OperationDetails";
import { Reference } from "./Reference";

const words = text.reference;

/** Reads the contract of a SOAP service. The reader is loaded with it. */
const soapContract = (version: string) =>
  queryOptions({
    queryKey: ["catalogue-contract", version, "described"],
    queryFn: async ({ client }) => {
      const [{ locationsOf }, { describeSoap }] = await Promise.all([
        import("./soap/contract"),
        import("./soap/described"),
      ]);
      return describeSoap(await client.query(contractDocuments(version, locationsOf)));
    },
    staleTime: 60_000,
    // It holds functions, which cannot be compared.
    structuralSharing: false,
  });

/** The operations of a SOAP service, by its contract. */
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
