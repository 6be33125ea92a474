// What an API says of itself, whether by an OpenAPI document or by a contract of SOAP: what the
// pages of the reference show.

import type { Header } from "./call_request";
import type { Contents, Operation, OperationHead } from "./document/operations";

export interface Described {
  /** What references in schemas lead into. */
  document: unknown;
  contents: Contents;
  operation: (head: OperationHead) => Operation;
  /** Names and values that say how it is called, where schemas do not. */
  facts?: (head: OperationHead) => readonly (readonly [string, string])[];
  /** Headers that every call of an operation carries. */
  headers?: (head: OperationHead) => readonly Header[];
}
