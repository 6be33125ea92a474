// A SOAP contract for the reference pages: every operation is a POST of an envelope.

import { text } from "../../text/text";
import type { Header } from "../call_request";
import type { Described } from "../described";
import type { Operation, OperationHead } from "../document/operations";
import { type SoapContract, type SoapOperation, contractOf } from "./contract";
import { envelopeOf } from "./envelope";

export function describeSoap(documents: readonly string[]): Described {
  const contract = contractOf(documents);
  const operations = new Map(contract.operations.map((it) => [it.name, it]));
  return {
    document: undefined,
    contents: {
      operations: contract.operations.map(({ name }) => headOf(name)),
      tags: [],
      faults: [],
    },
    operation: (head) => operationOf(head, contract, operations.get(head.slug)),
    facts: (head) => factsOf(contract, operations.get(head.slug)),
    headers: (head) => headersOf(contract, operations.get(head.slug)),
  };
}

function headOf(name: string): OperationHead {
  const shown = { slug: name, id: name, title: name, badge: "SOAP" };
  return { ...shown, method: "POST", path: "", tags: [], isDeprecated: false };
}

function operationOf(
  head: OperationHead,
  contract: SoapContract,
  operation: SoapOperation | undefined,
): Operation {
  const example = operation && envelopeOf(contract, operation);
  const body = { type: mediaType(contract, operation), schema: undefined, example };
  return {
    ...head,
    description: operation?.documentation,
    parameters: [],
    body: { isRequired: true, description: undefined, bodies: [body] },
    answers: [],
    scopes: [],
    isAnonymous: false,
    faults: [],
  };
}

/** Returns the media type; SOAP 1.2 has its action in it (RFC 3902), SOAP 1.1 in a header. */
function mediaType({ version }: SoapContract, operation: SoapOperation | undefined): string {
  if (version === "1.1") return "text/xml; charset=utf-8";
  const action = operation?.action ?? "";
  return `application/soap+xml; charset=utf-8${action === "" ? "" : `; action="${action}"`}`;
}

function headersOf({ version }: SoapContract, operation: SoapOperation | undefined): Header[] {
  return version === "1.1" ? [["soapaction", `"${operation?.action ?? ""}"`]] : [];
}

function factsOf(contract: SoapContract, operation: SoapOperation | undefined) {
  const words = text.reference.soap;
  const action = operation?.action ?? "";
  return [
    [words.version, `SOAP ${contract.version}`],
    [words.action, action === "" ? text.ui.none : action],
    [words.mediaType, mediaType(contract, operation)],
  ] as const;
}
