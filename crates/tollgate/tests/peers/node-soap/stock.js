// The data of the shop, in the form that npm's soap writes as XML: attributes below `attributes`,
// text of an element with attributes as `$value`. The same numbers as Stock.java beside it.
//
// npm's soap (1.6.1) uses the parent's namespace for children from other schemas, so these are
// passed as XML (`$xml`).

const CATALOG = "http://shop.example/catalog";
const INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";
// npm's soap makes the namespace of the response the default one.
const UNQUALIFIED = { xmlns: "" };
const NIL = { attributes: { "xmlns:xsi": INSTANCE, "xsi:nil": "true" } };

export const ITEMS = 12;
export const ORDERS = 60;
const STATUS = ["open", "in transit", "delivered"];
// Bytes of a response with an empty report, and of a row without its number's digits, as in CXF.
const REPORT_BYTES = 397;
const ROW_BYTES = 158;

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (value) => String(value).replace(/[&<>"]/g, (it) => ESCAPES[it]);

// Returns the children of an element, all with this prefix.
function xml(prefix, content) {
  const element = ([name, value]) => {
    const content = Object(value) === value ? value : { $value: value };
    const { attributes = {}, $value, ...children } = content;
    const given = Object.entries(attributes).map(([key, text]) => ` ${key}="${escaped(text)}"`);
    const inner = $value === undefined ? xml(prefix, children) : escaped($value);
    return `<${prefix}${name}${given.join("")}>${inner}</${prefix}${name}>`;
  };
  const pairs = Object.entries(content).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((it) => [name, it]),
  );
  return pairs.filter(([, value]) => value !== undefined).map(element).join("");
}

const padded = (number, width) => String(number).padStart(width, "0");
const upTo = (count) => Array.from({ length: count }, (_, index) => index + 1);

export function money(cents) {
  const text = padded(cents, 3);
  return { attributes: { currency: "EUR" }, $value: `${text.slice(0, -2)}.${text.slice(-2)}` };
}

const code = (number) => `${["GD", "BK", "TB"][number % 3]}-${padded(number, 4)}`;

// Returns an item with its own type, as in a line.
export function item(number) {
  const kind = ["Gadget", "Book", "Textbook"][number % 3];
  const isEven = number % 2 === 0;
  const content = {
    sku: code(number),
    name: `${kind} ${number}${number % 4 === 0 ? " <Ärger & Co>" : ""}`,
    tags: `${code(number).slice(0, 2).toLowerCase()} n${number}`,
    weight: { attributes: { unit: isEven ? "fl oz & more" : "kg" }, $value: 0.25 * number },
    stock: 10 * number,
    maker: isEven ? `Maker ${number}` : undefined,
  };
  const attributes = {
    "xmlns:catalog": CATALOG,
    "xmlns:xsi": INSTANCE,
    "xsi:type": `catalog:${kind}`,
  };
  if (number % 5 === 0) attributes.discontinued = "true";
  if (kind === "Gadget") {
    content.volts = number % 6 === 0 ? NIL : 230;
  } else {
    attributes.isbn = `978-0-00-${100000 + number}`;
    content.author = isEven ? ["Ada Author", "Ben Writer"] : ["Ada Author"];
    content.published = 2000 + number;
  }
  if (kind === "Textbook") {
    attributes.level = number;
    content.subject = "Mathematics";
  }
  return { attributes, $xml: xml("catalog:", content) };
}

export function itemOf(sku) {
  const number = upTo(ITEMS).find((it) => code(it) === sku);
  return number && item(number);
}

export const hasOrder = (number) => number >= 1 && number <= ORDERS;

export function order(number) {
  const attributes = {};
  if (number % 10 === 0) attributes.priority = "true";
  if (number % 2 === 1) attributes.changed = "2026-03-01T00:00:00.250Z";
  if (number % 3 === 0) attributes.by = `clerk ${number}`;
  const indices = upTo(1 + (number % 3));
  const status = STATUS[number % 3];
  const day = padded(1 + (number % 28), 2);
  const made = {
    attributes,
    reference: `R-${number}`,
    customer: customer(1 + (number % 7), number),
  };
  if (number % 4 === 0) {
    const { attributes, ...content } = whereabouts("work", number);
    made["ship-to"] = { attributes: { ...UNQUALIFIED, ...attributes }, $xml: xml("", content) };
  }
  made.lines = { line: indices.map((index) => line(number, index)) };
  Object.assign(made, payment(number), {
    note: upTo(number % 4).map((index) => `note ${index} of order ${number}: 1 < 2 & "ß"`),
    id: number,
    placed: `2026-01-${day}T08:00:00Z`,
    delivered: status === "delivered" ? `2026-02-${day}` : NIL,
    status,
    total: money(indices.reduce((sum, index) => sum + 990 * index + number, 0)),
  });
  return made;
}

function customer(customer, number) {
  const address = [];
  if (number % 2 === 0) address.push(whereabouts("home", number));
  if (number % 6 === 0) address.push(whereabouts(undefined, number + 1));
  const email = customer === 1 ? undefined : `c${customer}@shop.example`;
  const content = { name: `Customer ${customer}`, "e-mail": email, address };
  return { attributes: { ...UNQUALIFIED, number: `C${customer}` }, $xml: xml("", content) };
}

function whereabouts(kind, number) {
  const common = { xmlns: "http://shop.example/common" };
  const postcode = { attributes: common, $value: padded(number, 5) };
  return {
    attributes: kind ? { kind } : {},
    line: [`${number} Main Street`, ...(number % 4 === 0 ? ["c/o Nobody"] : [])],
    // The one qualified element of its schema.
    postcode: number % 3 === 0 ? undefined : postcode,
    city: "Sankt Veit",
  };
}

function line(number, index) {
  const made = {
    attributes: { number: index },
    product: item(1 + ((number + index) % ITEMS)),
    quantity: index === 3 ? "half" : index,
    price: money(990 * index + number),
  };
  if (index === 1 && number % 5 === 0) made.part = [line(number + 1, 2), line(number + 1, 3)];
  return made;
}

function payment(number) {
  if (number % 3 === 0) {
    const card = { number: `4111-${1000 + number}`, expires: "2028-12" };
    return { card: { attributes: { brand: "Plastic" }, ...card } };
  }
  if (number % 3 === 1) return { transfer: `AT${100000 + number}` };
  const attributes = number % 2 === 0 ? { pin: `0${number}` } : {};
  return { voucher: { attributes, $value: `V${number}` } };
}

export function category(depth, id) {
  const { attributes, ...content } = subcategory(depth, id);
  const declared = { "xmlns:catalog": CATALOG, ...attributes };
  return { attributes: declared, $xml: xml("catalog:", content) };
}

function subcategory(depth, id) {
  const made = { attributes: { id }, title: `Level ${depth}` };
  if (depth > 0) {
    made.category = [subcategory(depth - 1, 2 * id), subcategory(depth - 1, 2 * id + 1)];
    made.shelf = [{ place: `A${id}`, holds: subcategory(0, 1000 + id) }];
  }
  return made;
}

export function report(bytes) {
  const row = [];
  const size = (number) => ROW_BYTES + String(number).length;
  let left = bytes - REPORT_BYTES;
  for (let number = 1; left >= size(number); number += 1) {
    left -= size(number);
    row.push({
      attributes: { number },
      day: `2026-${padded(1 + (number % 12), 2)}-${padded(1 + (number % 28), 2)}`,
      sku: `BK-${padded(number % 10000, 4)}`,
      sold: 100 + (number % 900),
      turnover: money(10000 + (number % 90000)),
    });
  }
  return { title: ".".repeat(Math.max(left, 0)), row };
}
