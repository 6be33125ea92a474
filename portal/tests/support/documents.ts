// Small realistic documents for imports.

export const ORDERS = `openapi: 3.1.0
info:
  title: Orders
  version: "1.0"
  description: Orders of the shop, from the basket to the parcel. Events follow within seconds.
tags:
  - name: orders
    description: What customers have ordered
paths:
  /orders:
    get:
      operationId: listOrders
      tags: [orders]
      summary: List orders
      description: The newest first, at most a hundred a page.
      parameters:
        - name: state
          in: query
          description: Only orders in this state
          schema: { type: string, enum: [open, packed, sent] }
        - name: limit
          in: query
          schema: { type: integer, minimum: 1, maximum: 100, default: 20 }
      responses:
        "200":
          description: A page of orders
          content:
            application/json:
              schema:
                type: object
                properties:
                  items: { type: array, items: { $ref: "#/components/schemas/Order" } }
    post:
      operationId: createOrder
      tags: [orders]
      summary: Place an order
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/NewOrder" }
            example: { customer: cus_81, items: [{ article: A-17, amount: 2 }] }
      responses:
        "201":
          description: The order
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Order" }
        "422": { description: An article is unknown }
  /orders/{order}:
    parameters:
      - name: order
        in: path
        required: true
        description: Its number
        schema: { type: string }
    get:
      operationId: showOrder
      tags: [orders]
      summary: Show an order
      responses:
        "200":
          description: The order
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Order" }
    delete:
      operationId: cancelOrder
      tags: [orders]
      summary: Cancel an order
      responses:
        "204": { description: It is cancelled }
components:
  schemas:
    NewOrder:
      type: object
      required: [customer, items]
      properties:
        customer: { type: string, description: The customer's id }
        note: { type: string, maxLength: 500 }
        items: { type: array, items: { $ref: "#/components/schemas/Item" } }
    Item:
      type: object
      required: [article, amount]
      properties:
        article: { type: string }
        amount: { type: integer, minimum: 1 }
    Order:
      allOf:
        - $ref: "#/components/schemas/NewOrder"
        - type: object
          properties:
            id: { type: string }
            state: { type: string, enum: [open, packed, sent] }
            parent: { $ref: "#/components/schemas/Order" }
`;

/** The next version of {@link ORDERS}: one operation moved, one removed, one new, some changed. */
export const CHANGED_ORDERS = ORDERS.replace('version: "1.0"', 'version: "1.1"')
  .replace("  /orders:\n", "  /orders/search:\n")
  .replace("    post:\n", "  /orders:\n    post:\n")
  .replace(/ {4}delete:\n(?: {6}.*\n)+/, "")
  .replace(
    "enum: [open, packed, sent] }\n        - name: limit",
    "enum: [open] }\n        - name: limit",
  )
  .replace("maxLength: 500", "maxLength: 500, pattern: '^[A-Z]'")
  .replace(
    "components:\n",
    `  /orders/{order}/parcels:
    parameters:
      - { name: order, in: path, required: true, schema: { type: string } }
    get:
      operationId: listParcels
      summary: List the parcels of an order
      responses:
        "200": { description: Its parcels }
components:
`,
  );

export const CALCULATOR = `<?xml version="1.0"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:tns="urn:calculator"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:calculator">
  <types>
    <schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:calculator"
        elementFormDefault="qualified">
      <element name="Add"><complexType><sequence>
        <element name="a" type="int"/><element name="b" type="int"/>
      </sequence></complexType></element>
      <element name="AddResponse"><complexType><sequence>
        <element name="sum" type="int"/>
      </sequence></complexType></element>
    </schema>
  </types>
  <message name="AddIn"><part name="parameters" element="tns:Add"/></message>
  <message name="AddOut"><part name="parameters" element="tns:AddResponse"/></message>
  <portType name="Calculator">
    <operation name="Add"><input message="tns:AddIn"/><output message="tns:AddOut"/></operation>
  </portType>
  <binding name="CalculatorSoap" type="tns:Calculator">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Add">
      <soap:operation soapAction="urn:calculator/Add" style="document"/>
      <input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output>
    </operation>
  </binding>
  <service name="Calculator">
    <port name="CalculatorSoap" binding="tns:CalculatorSoap">
      <soap:address location="http://127.0.0.1:1/soap"/>
    </port>
  </service>
</definitions>
`;

/** The next version of {@link CALCULATOR}: `Add` takes another number, and `Subtract` is new. */
export const CHANGED_CALCULATOR = CALCULATOR.replace(
  '<element name="b" type="int"/>',
  '<element name="b" type="int"/><element name="c" type="int"/>',
)
  .replace(
    "  </portType>",
    `    <operation name="Subtract">
      <input message="tns:AddIn"/><output message="tns:AddOut"/>
    </operation>
  </portType>`,
  )
  .replace(
    "  </binding>",
    `    <operation name="Subtract">
      <soap:operation soapAction="urn:calculator/Subtract" style="document"/>
      <input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output>
    </operation>
  </binding>`,
  );

/** Returns an OpenAPI document of pets with these operations: method, path, `operationId`. */
export function petsDocument(
  version: string,
  operations: readonly (readonly [method: string, path: string, id: string])[],
): string {
  const paths: Record<string, Record<string, object>> = {};
  for (const [method, path, operationId] of operations) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const schema = { type: "string" };
    const parameters = names.map((name) => ({ name, in: "path", required: true, schema }));
    const responses = { 200: { description: "fine" } };
    paths[path] = { ...paths[path], [method]: { operationId, parameters, responses } };
  }
  return JSON.stringify({ openapi: "3.1.0", info: { title: "Pets", version }, paths });
}
