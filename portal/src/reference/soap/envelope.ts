// A sample envelope of a request: every element of the schema once, with values of its types, and
// the first alternative of each choice. Recursive elements end at the second level.

import {
  type Definitions,
  type SoapContract,
  type SoapOperation,
  definitionsOf,
  isBuiltIn,
} from "./contract";
import { type Element, type Name, childrenOf, escaped, keyOf, nameIn } from "./xml";

const ENVELOPES = {
  "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
  "1.2": "http://www.w3.org/2003/05/soap-envelope",
};
const XSI = "http://www.w3.org/2001/XMLSchema-instance";
const ELEMENTS_MAX = 400;
/** Below this depth, optional elements are left out; below twice this depth, all. */
const DEPTH_MAX = 16;
/** Maximum nesting of types and groups: more is a cycle without elements. */
const NESTED_MAX = 64;
/** Maximum number of schema parts visited. */
const STEPS_MAX = 20_000;

export function envelopeOf(contract: SoapContract, operation: SoapOperation): string {
  const writer = new Writer(definitionsOf(contract.schemas));
  const body = operation.request.map((part) => writer.part(part, operation.wrapper ? 3 : 2));
  const { wrapper } = operation;
  if (wrapper !== undefined) {
    const name = writer.qualified(wrapper);
    const inside = body.join("");
    body.splice(
      0,
      body.length,
      inside === "" ? `\n    <${name}/>` : `\n    <${name}>${inside}\n    </${name}>`,
    );
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<soap:Envelope xmlns:soap="${ENVELOPES[contract.version]}"${writer.declarations()}>`,
    `  <soap:Body>${body.join("")}`,
    "  </soap:Body>",
    "</soap:Envelope>",
    "",
  ].join("\n");
}

/** A position in a schema: local names depend on the schema's own defaults. */
interface Place {
  definition: Element;
  schema: Element;
}

class Writer {
  readonly #definitions: Definitions;
  readonly #prefixes = new Map<string, string>();
  #namesTypes = false;
  #elements = 0;
  #steps = 0;
  #nested = 0;
  /** The types that contain the current element. */
  readonly #open: string[] = [];

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  declarations(): string {
    const types = this.#namesTypes ? ` xmlns:xsi="${XSI}"` : "";
    const own = [...this.#prefixes].map(
      ([namespace, prefix]) => ` xmlns:${prefix}="${escaped(namespace)}"`,
    );
    return types + own.join("");
  }

  qualified({ namespace, local }: Name): string {
    if (namespace === "") return local;
    const prefix = this.#prefixes.get(namespace) ?? `ns${this.#prefixes.size + 1}`;
    this.#prefixes.set(namespace, prefix);
    return `${prefix}:${local}`;
  }

  part({ name, element, type }: SoapOperation["request"][number], level: number): string {
    if (element !== undefined) return this.#global(element, level);
    return type === undefined ? "" : this.#tagged(name, this.#ofType(type, level), level);
  }

  #global(name: Name, level: number): string {
    const place = this.#definitions.get(`element ${keyOf(name)}`);
    if (place === undefined) return this.#tagged(this.qualified(name), { text: "" }, level);
    if (place.definition.attributes.get("abstract") === "true") {
      const member = this.#substitute(name);
      if (member !== undefined) return this.#global(member, level);
    }
    return this.#tagged(this.qualified(name), this.#ofElement(place, level), level);
  }

  /** Returns an element that can substitute an abstract one. */
  #substitute(head: Name): Name | undefined {
    for (const { definition, schema } of this.#definitions.values()) {
      const group = nameIn(definition, "substitutionGroup");
      if (group === undefined || keyOf(group) !== keyOf(head)) continue;
      if (definition.attributes.get("abstract") !== "true")
        return qualifiedName(definition, schema);
    }
    return undefined;
  }

  #tagged(name: string, { attributes = "", text, inside = "" }: Content, level: number): string {
    const indent = `\n${"  ".repeat(level)}`;
    if (text !== undefined) return `${indent}<${name}${attributes}>${escaped(text)}</${name}>`;
    if (inside === "") return `${indent}<${name}${attributes}/>`;
    return `${indent}<${name}${attributes}>${inside}${indent}</${name}>`;
  }

  #ofElement({ definition, schema }: Place, level: number): Content {
    this.#elements += 1;
    const given = definition.attributes.get("fixed") ?? definition.attributes.get("default");
    if (given !== undefined) return { text: given };
    const type = nameIn(definition, "type");
    if (type !== undefined) return this.#ofType(type, level);
    const [inline] = childrenOf(definition, "complexType", "simpleType");
    return inline === undefined
      ? { text: "" }
      : this.#ofDefinition({ definition: inline, schema }, level);
  }

  #ofType(type: Name, level: number): Content {
    if (isBuiltIn(type)) return { text: builtIn(type.local) };
    const place = this.#definitions.get(`type ${keyOf(type)}`);
    if (place === undefined) return { text: "" };
    this.#open.push(keyOf(type));
    const content = this.#within({}, () => this.#concrete(type, place, level));
    this.#open.pop();
    return content;
  }

  #within<T>(otherwise: T, make: () => T): T {
    if (this.#nested >= NESTED_MAX) return otherwise;
    this.#nested += 1;
    const made = make();
    this.#nested -= 1;
    return made;
  }

  /** Returns the content of a derived type, selected by name, for an abstract type. */
  #concrete(type: Name, place: Place, level: number): Content {
    if (place.definition.attributes.get("abstract") !== "true")
      return this.#ofDefinition(place, level);
    for (const { definition, schema } of this.#definitions.values()) {
      const base = extensionOf(definition);
      const from = base && nameIn(base, "base");
      if (from === undefined || keyOf(from) !== keyOf(type)) continue;
      if (definition.attributes.get("abstract") === "true") continue;
      const content = this.#ofDefinition({ definition, schema }, level);
      this.#namesTypes = true;
      const named = ` xsi:type="${this.qualified(qualifiedName(definition, schema))}"`;
      return { ...content, attributes: named + (content.attributes ?? "") };
    }
    return this.#ofDefinition(place, level);
  }

  #ofDefinition({ definition, schema }: Place, level: number): Content {
    if (definition.local === "simpleType") return { text: this.#simple(definition, schema) };
    const derived = extensionOf(definition);
    const holder = derived ?? definition;
    const base = derived && nameIn(derived, "base");
    const isRestriction = derived?.local === "restriction";
    const before = base === undefined ? {} : this.#ofBase(base, level);
    const inside = holder.children
      .map((it) => this.#particle({ definition: it, schema }, level + 1))
      .join("");
    const attributes = this.#attributes({ definition: holder, schema });
    return {
      ...before,
      attributes:
        isRestriction && attributes !== "" ? attributes : (before.attributes ?? "") + attributes,
      inside: isRestriction ? inside : (before.inside ?? "") + inside,
    };
  }

  /** Returns the content that a derived type inherits from its base, which may be abstract. */
  #ofBase(base: Name, level: number): Content {
    if (isBuiltIn(base)) return base.local === "anyType" ? {} : { text: builtIn(base.local) };
    const place = this.#definitions.get(`type ${keyOf(base)}`);
    return place ? this.#within({}, () => this.#ofDefinition(place, level)) : {};
  }

  #particle({ definition, schema }: Place, level: number): string {
    this.#steps += 1;
    const isOptional = definition.attributes.get("minOccurs") === "0";
    if (definition.attributes.get("maxOccurs") === "0") return "";
    const isBeyond =
      this.#elements >= ELEMENTS_MAX || this.#steps >= STEPS_MAX || level > 2 * DEPTH_MAX;
    if (isBeyond || (isOptional && level > DEPTH_MAX)) return "";
    switch (definition.local) {
      case "sequence":
      case "all":
        return definition.children
          .map((it) => this.#particle({ definition: it, schema }, level))
          .join("");
      case "choice": {
        const first = definition.children.find(
          (it) => it.local !== "annotation" && !this.#leadsBack(it),
        );
        return first === undefined ? "" : this.#particle({ definition: first, schema }, level);
      }
      case "group": {
        const reference = nameIn(definition, "ref");
        const group = reference && this.#definitions.get(`group ${keyOf(reference)}`);
        if (group === undefined) return "";
        const { children } = group.definition;
        const write = (it: Element) =>
          this.#particle({ definition: it, schema: group.schema }, level);
        return this.#within("", () => children.map(write).join(""));
      }
      case "element":
        return isOptional && this.#leadsBack(definition)
          ? ""
          : this.#element({ definition, schema }, level);
      default:
        return "";
    }
  }

  #element({ definition, schema }: Place, level: number): string {
    const reference = nameIn(definition, "ref");
    if (reference !== undefined) return this.#global(reference, level);
    const form = definition.attributes.get("form") ?? schema.attributes.get("elementFormDefault");
    const { namespace, local } = qualifiedName(definition, schema);
    const name = this.qualified({ namespace: form === "qualified" ? namespace : "", local });
    return this.#tagged(name, this.#ofElement({ definition, schema }, level), level);
  }

  /** Checks whether an element's type already contains the element. */
  #leadsBack(definition: Element): boolean {
    const reference = nameIn(definition, "ref");
    const global = reference && this.#definitions.get(`element ${keyOf(reference)}`)?.definition;
    const type = nameIn(global ?? definition, "type");
    return type !== undefined && this.#open.includes(keyOf(type));
  }

  #attributes({ definition, schema }: Place): string {
    const written = childrenOf(definition, "attribute").map((attribute) => {
      const reference = nameIn(attribute, "ref");
      const name = attribute.attributes.get("name") ?? (reference && this.qualified(reference));
      if (name === undefined || attribute.attributes.get("use") === "prohibited") return "";
      const given = attribute.attributes.get("fixed") ?? attribute.attributes.get("default");
      const text = given ?? this.#ofElement({ definition: attribute, schema }, 0).text ?? "";
      return ` ${name}="${escaped(text)}"`;
    });
    const groups = childrenOf(definition, "attributeGroup").map((it) => {
      const reference = nameIn(it, "ref");
      const group = reference && this.#definitions.get(`attributeGroup ${keyOf(reference)}`);
      return group ? this.#within("", () => this.#attributes(group)) : "";
    });
    return [...written, ...groups].join("");
  }

  #simple(definition: Element, schema: Element): string {
    const [restriction] = childrenOf(definition, "restriction");
    const [first] = childrenOf(restriction, "enumeration");
    if (first !== undefined) return first.attributes.get("value") ?? "";
    const [listed] = childrenOf(definition, "list", "union");
    const holder = restriction ?? listed;
    const named =
      holder &&
      (nameIn(holder, "base") ?? nameIn(holder, "itemType") ?? nameIn(holder, "memberTypes"));
    const [inline] = childrenOf(holder, "simpleType");
    const base =
      named === undefined ? inline && this.#simple(inline, schema) : this.#ofType(named, 0).text;
    return restriction === undefined ? (base ?? "") : withinBounds(restriction, base ?? "");
  }
}

/** The content of an element: attributes, and a text or elements. */
interface Content {
  attributes?: string;
  text?: string;
  inside?: string;
}

/** Returns the extension or restriction of a derived complex type. */
function extensionOf(definition: Element): Element | undefined {
  const [content] = childrenOf(definition, "complexContent", "simpleContent");
  return childrenOf(content, "extension", "restriction")[0];
}

/** Returns the qualified name of a definition. */
function qualifiedName(definition: Element, schema: Element): Name {
  return {
    namespace: schema.attributes.get("targetNamespace") ?? "",
    local: definition.attributes.get("name") ?? "",
  };
}

/** Adapts a value to simple bounds of numbers and lengths. */
function withinBounds(restriction: Element, value: string): string {
  const facet = (name: string) => childrenOf(restriction, name)[0]?.attributes.get("value");
  const least = facet("minInclusive") ?? facet("maxInclusive");
  if (least !== undefined) return least;
  const above = Number(facet("minExclusive") ?? NaN);
  if (!Number.isNaN(above)) return String(above + 1);
  const shortest = Number(facet("length") ?? facet("minLength") ?? 0);
  const longest = Number(facet("length") ?? facet("maxLength") ?? Infinity);
  return value.padEnd(Math.min(shortest, 200), "x").slice(0, longest);
}

const VALUES = new Map([
  ["boolean", "true"],
  ["dateTime", "2026-01-31T12:00:00Z"],
  ["date", "2026-01-31"],
  ["time", "12:00:00Z"],
  ["gYearMonth", "2026-01"],
  ["gYear", "2026"],
  ["gMonthDay", "--01-31"],
  ["gDay", "---31"],
  ["gMonth", "--01"],
  ["duration", "P1D"],
  ["base64Binary", "dGV4dA=="],
  ["hexBinary", "74657874"],
  ["anyURI", "https://example.com/"],
  ["negativeInteger", "-1"],
  ["nonPositiveInteger", "0"],
]);
const NUMBER =
  /^(decimal|float|double|byte|short|int|long|(unsigned|positive|nonNegative)?(integer|Byte|Short|Int|Long|Integer))$/;

/** Returns a value of a built-in XML Schema type. */
function builtIn(name: string): string {
  return VALUES.get(name) ?? (NUMBER.test(name) ? "1" : "text");
}
