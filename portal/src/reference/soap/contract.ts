// The operations of a contract's (WSDL 1.1) published port, with the content of their messages.
// Reads the documents that the catalogue serves.

import { type Element, type Name, childrenOf, keyOf, nameIn, readXml } from "./xml";

const WSDL = "http://schemas.xmlsoap.org/wsdl/";
const SOAP_11 = "http://schemas.xmlsoap.org/wsdl/soap/";
const SOAP_12 = "http://schemas.xmlsoap.org/wsdl/soap12/";
const SCHEMA = "http://www.w3.org/2001/XMLSchema";

/** A part of a message: an element, or a value of a type under the part's own name. */
export interface Part {
  name: string;
  element: Name | undefined;
  type: Name | undefined;
}

export interface SoapOperation {
  name: string;
  documentation: string | undefined;
  /** The `soapAction`; empty if there is none. */
  action: string;
  /** The wrapper of an rpc message. */
  wrapper: Name | undefined;
  request: readonly Part[];
}

export interface SoapContract {
  version: "1.1" | "1.2";
  operations: readonly SoapOperation[];
  schemas: readonly Element[];
}

/** Returns the roots of documents, including schemas embedded in a WSDL. */
function rootsOf(documents: readonly string[]): { wsdl: Element[]; schemas: Element[] } {
  const roots = documents.flatMap((document) => readXml(document) ?? []);
  const wsdl = roots.filter(({ namespace }) => namespace === WSDL);
  const inside = wsdl.flatMap((it) =>
    childrenOf(it, "types").flatMap((types) => childrenOf(types, "schema")),
  );
  const alone = roots.filter(({ namespace, local }) => namespace === SCHEMA && local === "schema");
  return { wsdl, schemas: [...inside, ...alone] };
}

/** Returns the addresses that a document refers to. */
export function locationsOf(document: string): string[] {
  const found = document.matchAll(/\s(?:schemaLocation|location)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return [...found].map(([, double, single]) => (double ?? single ?? "").replaceAll("&amp;", "&"));
}

export function contractOf(documents: readonly string[]): SoapContract {
  const { wsdl, schemas } = rootsOf(documents);
  const all = (local: string) =>
    wsdl.flatMap((root) => childrenOf(root, local).map((it) => ({ root, it })));
  const find = (local: string, name: Name | undefined) =>
    all(local).find(
      ({ root, it }) =>
        it.attributes.get("name") === name?.local &&
        (root.attributes.get("targetNamespace") ?? "") === name?.namespace,
    )?.it;
  const ports = all("service").flatMap(({ it }) => childrenOf(it, "port"));
  for (const port of ports) {
    const binding = find("binding", nameIn(port, "binding"));
    const soap = childrenOf(binding, "binding").find(isSoap);
    if (binding === undefined || soap === undefined) continue;
    const portType = find("portType", nameIn(binding, "type"));
    const style = soap.attributes.get("style") ?? "document";
    const operations = childrenOf(binding, "operation").map((bound) => {
      const name = bound.attributes.get("name") ?? "";
      const abstract = childrenOf(portType, "operation").find(
        (it) => it.attributes.get("name") === name,
      );
      const input = childrenOf(abstract, "input")[0];
      const message = input && find("message", nameIn(input, "message"));
      return operationOf(bound, style, { name, abstract, message });
    });
    return { version: soap.namespace === SOAP_12 ? "1.2" : "1.1", operations, schemas };
  }
  return { version: "1.1", operations: [], schemas };
}

const isSoap = ({ namespace }: Element) => namespace === SOAP_11 || namespace === SOAP_12;

interface Bound {
  name: string;
  abstract: Element | undefined;
  message: Element | undefined;
}

function operationOf(
  bound: Element,
  style: string,
  { name, abstract, message }: Bound,
): SoapOperation {
  const soap = childrenOf(bound, "operation").find(isSoap);
  const body = childrenOf(childrenOf(bound, "input")[0], "body").find(isSoap);
  const parts = childrenOf(message, "part").map((part) => ({
    name: part.attributes.get("name") ?? "",
    element: nameIn(part, "element"),
    type: nameIn(part, "type"),
  }));
  const named = body?.attributes.get("parts")?.split(/\s+/);
  const isRpc = (soap?.attributes.get("style") ?? style) === "rpc";
  const wrapper = { namespace: body?.attributes.get("namespace") ?? "", local: name };
  return {
    name,
    documentation: childrenOf(abstract, "documentation")[0]?.text.trim() || undefined,
    action: soap?.attributes.get("soapAction") ?? "",
    wrapper: isRpc ? wrapper : undefined,
    request: named === undefined ? parts : parts.filter((part) => named.includes(part.name)),
  };
}

/** Global definitions of schemas, by kind and name. */
export type Definitions = ReadonlyMap<string, { definition: Element; schema: Element }>;

const GLOBAL = ["element", "complexType", "simpleType", "group", "attributeGroup", "attribute"];
const KINDS = new Map([
  ["complexType", "type"],
  ["simpleType", "type"],
]);

export function definitionsOf(schemas: readonly Element[]): Definitions {
  const found = new Map<string, { definition: Element; schema: Element }>();
  for (const schema of schemas) {
    const namespace = schema.attributes.get("targetNamespace") ?? "";
    for (const definition of childrenOf(schema, ...GLOBAL)) {
      const local = definition.attributes.get("name") ?? "";
      const kind = KINDS.get(definition.local) ?? definition.local;
      found.set(`${kind} ${keyOf({ namespace, local })}`, { definition, schema });
    }
  }
  return found;
}

export const isBuiltIn = ({ namespace }: Name): boolean => namespace === SCHEMA;
