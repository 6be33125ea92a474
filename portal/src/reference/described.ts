// An API description for the reference pages, from an OpenAPI document or a SOAP contract.

import type { Header } from "./call_request";
import type { Contents, Operation, OperationHead } from "./document/operations";

export interface Described {
  /** The document that references in schemas point into. */
  document: unknown;
  contents: Contents;
  operation: (head: OperationHead) => Operation;
  /** Names and values that describe a call, if schemas do not. */
  facts?: (head: OperationHead) => readonly (readonly [string, string])[];
  /** Headers that every call of an operation carries. */
  headers?: (head: OperationHead) => readonly Header[];
}
