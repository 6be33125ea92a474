import { queryOptions } from "@tanstack/react-query";
import { contractDocuments } from "../../api/queries/catalogue";

/** Query for the contract of a SOAP service. The parser is loaded with it. */
export const soapContract = (version: string) =>
  queryOptions({
    queryKey: ["catalogue-contract", version, "described"],
    queryFn: async ({ client }) => {
      const [{ locationsOf }, { describeSoap }] = await Promise.all([
        import("./contract"),
        import("./described"),
      ]);
      return describeSoap(await client.query(contractDocuments(version, locationsOf)));
    },
    staleTime: 60_000,
    // The contract contains functions, which cannot be compared.
    structuralSharing: false,
  });
