// The message that the dry run begins with: an example of an operation from its document.

import type { components } from "../../api/schema";
import type { DryRequest, MessageField } from "../../api/queries/mediate";
import { callOf } from "../../developer/access/example_call";
import { contentOf } from "../../reference/content";
import { sampleText } from "../../reference/document/body";
import type { Operation } from "../../reference/document/operations";
import type { Described } from "../../reference/described";
import type { OperationHead } from "../../reference/document/operations";

type Method = components["schemas"]["Method"];

/** The message as it is entered. */
export interface Sample {
  method: string;
  path: string;
  /** Lines of `name: value`. */
  headers: string;
  body: string;
  status: string;
  answerHeaders: string;
  answerBody: string;
}

/** Returns an example without a document: its parameters are 1. */
export function bareSample(operation: string | undefined): Sample {
  const [method = "GET", path = "/"] = operation?.split(" ") ?? [];
  return {
    method,
    path: path.replaceAll(/\{[^}]*\}/g, "1"),
    headers: "",
    body: "",
    status: "200",
    answerHeaders: "",
    answerBody: "",
  };
}

/** Returns the example of an operation that a document describes. */
export function sampleOfOperation(described: Described, head: OperationHead): Sample {
  const { method, url, headers, body } = callOf(described, head, "");
  const content = body && contentOf(body);
  const pieces = content?.pieces ?? [];
  const type = content === undefined ? [] : [["content-type", content.type] as const];
  return {
    method,
    path: url === "" ? "/" : url,
    headers: [...type, ...headers].map((it) => it.join(": ")).join("\n"),
    body: pieces.filter((piece) => typeof piece === "string").join(""),
    ...sampleAnswer(described, described.operation(head)),
  };
}

function sampleAnswer({ document }: Described, { answers }: Operation) {
  const answer = answers.find(({ status }) => status.startsWith("2"));
  const body = answer?.bodies[0];
  return {
    status: /^\d{3}$/.test(answer?.status ?? "") ? (answer?.status ?? "200") : "200",
    answerHeaders: body === undefined ? "" : `content-type: ${body.type}`,
    answerBody: body === undefined ? "" : sampleText(document, body, false),
  };
}

/** Parses lines of `name: value`; returns the number of the first line that is not one. */
export function fieldsOf(lines: string): MessageField[] | number {
  const fields: MessageField[] = [];
  for (const [at, line] of lines.split("\n").entries()) {
    if (line.trim() === "") continue;
    const [, name, value] = /^([^\s:]+):(.*)$/.exec(line.trim()) ?? [];
    if (name === undefined || value === undefined) return at + 1;
    fields.push({ name, value: value.trim() });
  }
  return fields;
}

/** Returns the request and response of the dry run; fields are those of {@link fieldsOf}. */
export function dryMessages(
  sample: Sample,
  headers: MessageField[],
  answerHeaders: MessageField[],
): Pick<DryRequest, "request" | "response"> {
  const { method, path, body, status, answerBody } = sample;
  return {
    request: { method: method as Method, path, headers, body },
    response: {
      status: Number(status === "" ? 200 : status),
      headers: answerHeaders,
      body: answerBody,
    },
  };
}
