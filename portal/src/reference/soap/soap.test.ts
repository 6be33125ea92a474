import { expect, test } from "vitest";
import { CALCULATOR } from "../../../tests/support/documents";
import { contractOf, locationsOf } from "./contract";
import { describeSoap } from "./described";
import { envelopeOf } from "./envelope";
import { readXml } from "./xml";

test("an operation of a contract has its action and a sample envelope", () => {
  const described = describeSoap([CALCULATOR]);
  const [head] = described.contents.operations;
  if (head === undefined) throw new Error("no operation");
  expect([head.slug, head.method]).toEqual(["Add", "POST"]);
  expect(described.headers?.(head)).toEqual([["soapaction", '"urn:calculator/Add"']]);
  const [body] = described.operation(head).body?.bodies ?? [];
  expect(body?.type).toBe("text/xml; charset=utf-8");
  expect(body?.example).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ns1="urn:calculator">
  <soap:Body>
    <ns1:Add>
      <ns1:a>1</ns1:a>
      <ns1:b>1</ns1:b>
    </ns1:Add>
  </soap:Body>
</soap:Envelope>
`);
});

/** Returns the envelope of an operation with the global element `request` as its request. */
function envelope(schema: string, ...others: string[]): string {
  const wsdl = CALCULATOR.replace(/<schema[^]*<\/schema>/, () => schema)
    .replace('tns:Add"', 'tns:request"')
    .replaceAll("xmlns:tns", 'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns');
  const contract = contractOf([wsdl, ...others]);
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error("no operation");
  return envelopeOf(contract, operation);
}

const schema = (inside: string) =>
  `<xs:schema targetNamespace="urn:calculator" elementFormDefault="qualified">${inside}</xs:schema>`;
const request = (inside: string) =>
  schema(`<xs:element name="request"><xs:complexType>${inside}</xs:complexType></xs:element>`);

test("a sample has values of its types, one alternative per choice, and attributes", () => {
  const text = envelope(
    request(`<xs:sequence>
      <xs:element name="a" type="xs:date" minOccurs="0" maxOccurs="unbounded"/>
      <xs:choice><xs:element name="b" type="xs:int"/><xs:element name="c" type="xs:int"/></xs:choice>
      <xs:element name="d"><xs:simpleType><xs:restriction base="xs:string">
        <xs:enumeration value="x &lt; y"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="e"><xs:simpleType><xs:restriction base="xs:int">
        <xs:minInclusive value="7"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="f" form="unqualified" type="xs:string" default="given"/>
    </xs:sequence><xs:attribute name="id" type="xs:boolean"/>`),
  );
  expect(text).toContain('<ns1:request id="true">');
  expect(text).toContain("<ns1:a>2026-01-31</ns1:a>");
  expect(text).toContain("<ns1:b>1</ns1:b>");
  expect(text).not.toContain("ns1:c>");
  expect(text).toContain("<ns1:d>x &lt; y</ns1:d>");
  expect(text).toContain("<ns1:e>7</ns1:e>");
  expect(text).toContain("<f>given</f>");
});

test("bases, groups, references and other schemas are followed", () => {
  const other = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:other">
    <xs:element name="stamp" type="xs:dateTime"/></xs:schema>`;
  const text = envelope(
    schema(`<xs:complexType name="Base"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence>
        <xs:attribute name="x" type="xs:int"/></xs:complexType>
      <xs:group name="G"><xs:sequence><xs:element name="g" type="xs:string"/></xs:sequence></xs:group>
      <xs:element name="request"><xs:complexType><xs:complexContent><xs:extension base="tns:Base">
        <xs:sequence><xs:group ref="tns:G"/><xs:element ref="o:stamp" xmlns:o="urn:other"/></xs:sequence>
        <xs:attribute name="y" type="xs:int"/></xs:extension></xs:complexContent></xs:complexType>
      </xs:element>`),
    other,
  );
  expect(text).toContain('xmlns:ns2="urn:other"');
  expect(text).toMatch(/x="1" y="1">\s*<ns1:a>1<\/ns1:a>\s*<ns1:g>text<\/ns1:g>\s*<ns2:stamp>2026/);
});

test("abstract types are replaced by derived ones", () => {
  const text = envelope(
    schema(`<xs:complexType name="Shape" abstract="true"/>
      <xs:complexType name="Circle"><xs:complexContent><xs:extension base="tns:Shape"><xs:sequence>
        <xs:element name="radius" type="xs:double"/></xs:sequence></xs:extension></xs:complexContent>
      </xs:complexType>
      <xs:element name="head" abstract="true"/>
      <xs:element name="member" substitutionGroup="tns:head" type="xs:int"/>
      <xs:element name="request"><xs:complexType><xs:sequence>
        <xs:element name="shape" type="tns:Shape"/><xs:element ref="tns:head"/>
      </xs:sequence></xs:complexType></xs:element>`),
  );
  expect(text).toContain('<ns1:shape xsi:type="ns1:Circle">');
  expect(text).toContain("<ns1:radius>1</ns1:radius>");
  expect(text).toContain("<ns1:member>1</ns1:member>");
});

test("cyclic and endlessly branching schemas end", () => {
  const types = Array.from({ length: 40 }, (_, at) => {
    const element = (name: string) => `<xs:element name="${name}" type="tns:T${at + 1}"/>`;
    const content = `<xs:sequence>${element("a")}${element("b")}${element("c")}</xs:sequence>`;
    return `<xs:complexType name="T${at}">${content}</xs:complexType>`;
  });
  const node = `<xs:complexType name="Node"><xs:sequence>
      <xs:element name="next" type="tns:Node" minOccurs="0"/>
      <xs:choice><xs:element name="in" type="tns:Node"/><xs:element name="out" type="xs:int"/></xs:choice>
    </xs:sequence></xs:complexType>`;
  const text = envelope(
    schema(`${types.join("")}${node}<xs:simpleType name="S"><xs:restriction base="tns:S"/></xs:simpleType>
      <xs:group name="G"><xs:sequence><xs:group ref="tns:G"/></xs:sequence></xs:group>
      <xs:element name="request"><xs:complexType><xs:sequence>
        <xs:element name="node" type="tns:Node"/><xs:element name="s" type="tns:S"/>
        <xs:group ref="tns:G"/><xs:element name="t" type="tns:T0"/></xs:sequence></xs:complexType>
      </xs:element>`),
  );
  expect(text).toMatch(/<ns1:node>\s*<ns1:out>1<\/ns1:out>\s*<\/ns1:node>/);
  expect(text.length).toBeLessThan(200_000);
});

test("an rpc message has its wrapper, and SOAP 1.2 its action in the media type", () => {
  const rpc = CALCULATOR.replace('style="document"', 'style="rpc"')
    .replace(
      '<input><soap:body use="literal"/>',
      '<input><soap:body use="literal" namespace="urn:w"/>',
    )
    .replace('element="tns:Add"', 'type="xs:int" xmlns:xs="http://www.w3.org/2001/XMLSchema"')
    .replace('wsdl/soap/"', 'wsdl/soap12/"');
  const described = describeSoap([rpc]);
  const [head] = described.contents.operations;
  if (head === undefined) throw new Error("no operation");
  const [body] = described.operation(head).body?.bodies ?? [];
  expect(body?.type).toBe('application/soap+xml; charset=utf-8; action="urn:calculator/Add"');
  expect(described.headers?.(head)).toEqual([]);
  expect(body?.example).toMatch(/<ns1:Add>\s*<parameters>1<\/parameters>\s*<\/ns1:Add>/);
  expect(body?.example).toContain('xmlns:ns1="urn:w"');
});

test("an invalid contract has no operations", () => {
  for (const text of ["", "{}", "<a", "<a></b></c>", "<definitions/>", CALCULATOR.slice(0, 700)]) {
    expect(describeSoap([text]).contents.operations, text).toEqual([]);
  }
});

test("XML is parsed with CDATA sections, references and namespaces", () => {
  const root = readXml(`<?xml version="1.0"?><!-- <x> --><a xmlns="u" xmlns:p='v' b="1 &#x41; >">
    t&amp;<![CDATA[<c>]]><p:d e="p:f"/></a>`);
  expect(root).toMatchObject({ namespace: "u", local: "a" });
  expect(root?.attributes.get("b")).toBe("1 A >");
  expect(root?.text.trim()).toBe("t&<c>");
  expect(root?.children[0]).toMatchObject({ namespace: "v", local: "d" });
  expect(locationsOf(`<x schemaLocation="http://g/a?xsd=1&amp;b"/>`)).toEqual([
    "http://g/a?xsd=1&b",
  ]);
});
