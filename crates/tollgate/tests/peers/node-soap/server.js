// Serves the contract's wrapped operations over SOAP 1.1, and its till (rpc/literal), with npm's
// soap, unmodified, on a port of 127.0.0.1 (0: a free one), and the contract's other files beside
// it, so that a caller can read the WSDL from here. Prints its URL in one line, and ends when its
// standard input does.
//
// Arguments: PORT SHOP.WSDL

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, normalize } from "node:path";

import soap from "soap";

import * as stock from "./stock.js";

const [port, contract] = process.argv.slice(2);
const shipments = new Map();

// A declared fault of SOAP 1.1.
function fault(faultstring, detail) {
  return { Fault: { faultcode: "soap:Server", faultstring, detail, statusCode: 500 } };
}

function found(orderId) {
  if (stock.hasOrder(orderId)) return stock.order(orderId);
  const detail = { orderNotFound: named({ orderId }) };
  throw fault(`no order ${orderId}`, detail);
}

// The library writes details without a schema, so the namespace is set here.
function named(content) {
  return { attributes: { xmlns: "http://shop.example/orders" }, ...content };
}

function check(order) {
  const problem = [];
  const say = (place, $value) => problem.push({ attributes: { place }, $value });
  if (![order.lines?.line ?? []].flat().length) say("lines", "is empty");
  if (!order.customer.name) say("customer/name", "is empty & must not be");
  if (problem.length) {
    const detail = { invalidOrder: named({ problem }) };
    throw fault("the order is not valid", detail);
  }
}

// npm's soap reads types that are restrictions as text.
const operations = {
  getOrder({ orderId }) {
    if (orderId === "500") throw fault("the shelf fell over");
    return { order: found(Number(orderId)) };
  },
  searchOrders(asked) {
    // An element without children is null.
    const { customer, status, placedFrom, limit = 10 } = asked ?? {};
    const wanted = [status ?? []].flat();
    const first = placedFrom?.toISOString().slice(0, 10) ?? "";
    const numbers = Array.from({ length: stock.ORDERS }, (_, index) => index + 1);
    const orders = numbers
      .map(stock.order)
      .filter((it) => !customer || it.customer.attributes.number === customer)
      .filter((it) => !wanted.length || wanted.includes(it.status))
      .filter((it) => it.placed >= first);
    return { found: orders.length, order: orders.slice(0, limit) };
  },
  createOrder({ order }) {
    if (order.reference === "DUPLICATE") {
      const duplicateOrder = { ...named(), $value: order.reference };
      throw fault("this order was made before", { duplicateOrder });
    }
    check(order);
    const lines = [order.lines.line].flat();
    const cents = lines.reduce((sum, line) => sum + Math.round(line.price.$value * 100), 0);
    return { orderId: 1000 + lines.length, total: stock.money(cents) };
  },
  deleteOrder({ orderId }) {
    found(Number(orderId));
    return {};
  },
  notifyShipped({ orderId }) {
    shipments.set(orderId, (shipments.get(orderId) ?? 0) + 1);
  },
  countShipped({ orderId }) {
    return { count: shipments.get(orderId) ?? 0 };
  },
  getItem({ sku }) {
    const item = stock.itemOf(sku);
    if (!item) throw fault(`no item ${sku}`);
    return { item };
  },
  getCategories({ depth }) {
    return { category: stock.category(depth, 1) };
  },
  getReport({ bytes }) {
    return { report: stock.report(bytes) };
  },
  echoReport: ({ report }) => ({ report }),
  getDocument({ name }) {
    const length = /-(\d{1,7})$/.exec(name)?.[1] ?? 1000;
    const bytes = Uint8Array.from({ length }, (_, at) => at * 7 + (at >> 8));
    return { document: { name, content: Buffer.from(bytes).toString("base64") } };
  },
  storeDocument({ document }) {
    const content = Buffer.from(document.content, "base64");
    const sha256 = createHash("sha256").update(content).digest("hex").toUpperCase();
    return { length: content.length, sha256 };
  },
  ping: () => ({}),
};

// Tills from 100 on are closed.
function open(tillId) {
  if (Number(tillId) < 100) return;
  const tillClosed = { attributes: { xmlns: "http://shop.example/till" }, $value: tillId };
  throw fault(`till ${tillId} is closed`, { tillClosed });
}

const till = {
  openTill: ({ cashier }) => ({ tillId: cashier.length }),
  closeTill({ tillId }) {
    open(tillId);
    return {};
  },
};

// The header of createOrder's response.
function receipt(operation, _, headers) {
  if (operation !== "createOrder") return "";
  const { token, language } = headers?.session ?? {};
  const text = token ? `${token} ${language ?? null}` : "nobody";
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<receipt xmlns="http://shop.example/common">${escaped}</receipt>`;
}

function answer(request, response) {
  const path = new URL(request.url, "http://shop").pathname;
  const isContract = /^\/(interface|schema)\/\w+\.(wsdl|xsd)$/.test(path);
  response.writeHead(isContract ? 200 : 404, { "content-type": "text/xml" });
  response.end(isContract ? readFileSync(join(dirname(contract), normalize(path))) : "");
}

const server = createServer(answer);
server.listen(Number(port), "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const wsdl = readFileSync(contract, "utf8").replaceAll("http://localhost:8080", url);
  soap.listen(server, {
    path: "/shop",
    services: { Shop: { ShopSoap11: operations } },
    xml: wsdl,
    uri: contract,
    // Its own default is a 200 without a body.
    oneWay: { responseCode: 202 },
    callback: () => serveTill(wsdl, () => console.log(`ready ${url}`)),
  }).addSoapHeader(receipt);
});

function serveTill(wsdl, callback) {
  const services = { Till: { Till: till } };
  soap.listen(server, { path: "/till", services, xml: wsdl, uri: contract, callback });
}

process.stdin.on("end", () => process.exit()).resume();
