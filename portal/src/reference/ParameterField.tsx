import { memo, useMemo } from "react";
import { text } from "../text/text";
import { controlOf } from "./document/control";
import { isJson } from "./document/media_types";
import { inline } from "./document/narrow";
import { type Parameter, keyOf } from "./document/parameters";
import { givenOf } from "./document/given";
import { isBrowsersOwn } from "./request";
import type { Draft } from "./use_draft";
import { ValueField } from "./ValueField";

const words = text.reference.tryIt;
const HINTS = { list: words.commaSeparated, json: words.asJson };

interface ParameterFieldProps {
  document: unknown;
  parameter: Parameter;
  value: string | undefined;
  setValue: Draft["setValue"];
  fault: string | undefined;
}

/** Memoized: an operation may have 200 parameters. */
export const ParameterField = memo(function ParameterField(props: ParameterFieldProps) {
  const { document, parameter, value, setValue, fault } = props;
  const { name, schema, content, isRequired } = parameter;
  const control = useMemo(() => {
    if (content === undefined) return controlOf(document, schema);
    return { kind: isJson(content) ? ("json" as const) : ("text" as const) };
  }, [document, schema, content]);
  const example = parameter.example ?? givenOf(document, schema);
  const ofKind =
    control.kind === "list" || control.kind === "json" ? HINTS[control.kind] : undefined;
  const hint = parameter.isRest ? words.rest : ofKind;
  return (
    <ValueField
      label={isRequired ? name : words.optional(name)}
      control={control}
      value={value}
      onChange={(it) => setValue(keyOf(parameter), it)}
      placeholder={inline(example)}
      hint={isBrowsersOwn(parameter) ? words.notSentByBrowsers(name) : hint}
      fault={fault}
    />
  );
});
