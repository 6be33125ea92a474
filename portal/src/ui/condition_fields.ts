// Fields of the conditions of a limit, and their mapping to the `if` of the API.

import type { components } from "../api/schema";

type Condition = components["schemas"]["LimitCondition"];
type Test = components["schemas"]["LimitTest"];

export const CONDITION_KINDS = ["address", "environment", "header", "query"] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** One test of a condition. */
export interface ConditionFields {
  kind: ConditionKind;
  /** Name of the header or the query parameter. */
  name: string;
  /** Whether it is passed by what is not in the list. */
  isNegated: boolean;
  /** The list, one entry per line. */
  values: string;
}

export const NEW_CONDITION: ConditionFields = {
  kind: "address",
  name: "",
  isNegated: false,
  values: "",
};

/** Returns whether the kind tests one of many values by name. */
export const hasName = (kind: ConditionKind): kind is "header" | "query" =>
  kind === "header" || kind === "query";

export function readCondition(condition: Condition | null | undefined): ConditionFields[] {
  const { addresses, environment, headers = {}, query = {} } = condition ?? {};
  return [
    ...(addresses ? [readTest("address", addresses)] : []),
    ...(environment ? [readTest("environment", environment)] : []),
    ...Object.entries(headers).map(([name, test]) => readTest("header", test, name)),
    ...Object.entries(query).map(([name, test]) => readTest("query", test, name)),
  ];
}

function readTest(kind: ConditionKind, test: Test, name = ""): ConditionFields {
  const isNegated = !Array.isArray(test);
  return { kind, name, isNegated, values: (isNegated ? test.not : test).join("\n") };
}

/** Returns the pointer of the first test of a value that an earlier test is about, too. */
export function repeatedTest(tests: readonly ConditionFields[]): string | undefined {
  const pointers = tests.map(pointerOf);
  return pointers.find((pointer, at) => pointers.indexOf(pointer) < at);
}

/** Returns the condition as entered, even if invalid. Of two tests of one value the last counts. */
export function writeCondition(tests: readonly ConditionFields[]): Condition {
  const condition: Condition = {};
  const named = { header: {}, query: {} } as Record<"header" | "query", Record<string, Test>>;
  for (const fields of tests) {
    const { kind, name } = fields;
    if (kind === "address") condition.addresses = writeTest(fields);
    else if (kind === "environment") condition.environment = writeTest(fields);
    else named[kind][name] = writeTest(fields);
  }
  if (Object.keys(named.header).length > 0) condition.headers = named.header;
  if (Object.keys(named.query).length > 0) condition.query = named.query;
  return condition;
}

function writeTest({ isNegated, values }: ConditionFields): Test {
  const list = values
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return isNegated ? { not: list } : list;
}

/** Returns the JSON pointer of a test within the condition (RFC 6901). */
export function pointerOf({ kind, name }: ConditionFields): string {
  if (kind === "address") return "/addresses";
  if (kind === "environment") return "/environment";
  const member = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return kind === "header" ? `/headers/${member}` : `/query/${member}`;
}
