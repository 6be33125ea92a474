// One line for each step: what it does, from its fields as they are entered.

import { text } from "../../text/text";
import type { PolicyWord } from "./policies";
import { type FieldValue, type Parts, type StepFields, linesOf } from "./step_fields";

/** Longer summaries are cut. */
const CHARACTERS_MAX = 160;

type Values = StepFields["values"];

const word = (values: Values, name: string): string => {
  const value: FieldValue | undefined = values[name];
  return typeof value === "string" ? value : "";
};
const lines = (values: Values, name: string) => linesOf(word(values, name)).join(", ");
const parts = (values: Values, name: string): readonly Parts[] => {
  const value = values[name];
  return Array.isArray(value) ? (value as readonly Parts[]) : [];
};
const nameAndValue = (separator: string) => (values: Values) => {
  const [name, value] = [word(values, "name"), word(values, "value")];
  return name === "" && value === "" ? "" : name + separator + value;
};
const fromTo = ({ from = "", to = "" }: Parts) => (from + to === "" ? "" : `${from} → ${to}`);

function editOf(edit: Parts): string {
  if (edit["remove"] !== undefined) return `remove ${edit["remove"]}`;
  if (edit["rename"] !== undefined) return `rename ${edit["rename"]} → ${edit["to"] ?? ""}`;
  const { set = "", value = "" } = edit;
  return set + value === "" ? "" : `set ${set} = ${value}`;
}

const SUMMARIES: Readonly<Record<PolicyWord, (values: Values) => string>> = {
  set_header: nameAndValue(": "),
  remove_header: (values) => lines(values, "names"),
  rename_header: (values) => fromTo({ from: word(values, "from"), to: word(values, "to") }),
  rewrite_location: () => "",
  set_query: nameAndValue("="),
  remove_query: (values) => lines(values, "names"),
  rewrite_path: (values) => word(values, "path"),
  set_method: (values) => word(values, "method"),
  json_template: (values) => word(values, "template").replaceAll(/\s+/g, " "),
  json_edit: (values) => parts(values, "edits").map(editOf).join(", "),
  mask: (values) => lines(values, "paths"),
  replace_text: (values) => parts(values, "pairs").map(fromTo).join(", "),
  json_to_xml: (values) => `<${word(values, "root")}>`,
  xml_to_json: (values) => lines(values, "arrays"),
  threat_protection: (values) => lines(values, "patterns"),
  compress: (values) => text.publisher.version.policies.fromBytes(word(values, "min_bytes")),
  respond: (values) => `${word(values, "status")} ${word(values, "content_type")}`.trim(),
  mock: (values) => `${word(values, "status")} ${word(values, "example")}`.trim(),
  set_status: (values) => word(values, "status"),
  let: (values) => (word(values, "name") === "" ? "" : `var.${nameAndValue(" = ")(values)}`),
};

export function summaryOf({ policy, values }: StepFields): string {
  const summary = SUMMARIES[policy](values);
  return summary.length > CHARACTERS_MAX ? `${summary.slice(0, CHARACTERS_MAX)}…` : summary;
}
