// The draft of a call: its application and its values. Try-it and the code sample use the same
// draft.

import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { portal } from "../api/queries/portal";
import type { Environment } from "../api/queries/try_it";
import { gatewayOf } from "./call";
import type { Described } from "./described";
import type { Operation } from "./document/operations";
import { keyOf } from "./document/parameters";
import { givenOf } from "./document/given";
import { type Filled, fill } from "./request";
import { parameterText } from "./typed";
import type { PreparedBody } from "./sent_body";
import { type DraftBody, useBody } from "./use_body";

type Caller = NonNullable<CatalogueEntry["mine"]>["subscriptions"][number];

export interface Draft {
  values: ReadonlyMap<string, string>;
  /** Undefined omits the parameter. */
  setValue: (key: string, value: string | undefined) => void;
  body: DraftBody;
  /** The calling subscription; undefined for none. */
  caller: Caller | undefined;
  setCaller: (id: string) => void;
  environment: Environment;
  setEnvironment: (environment: Environment) => void;
  filled: Filled;
  /** Whether the call carries no credential. */
  isAnonymous: boolean;
}

interface Drafted {
  entry: CatalogueEntry;
  described: Described;
  operation: Operation;
  bodies: readonly PreparedBody[];
}

/** Longer values fit in no URL or header. */
const TEXT_CHARACTERS_MAX = 100_000;

/** Stands for no subscription in the choice of callers. */
export const NOBODY = "nobody";

/** The caller is kept when another operation is opened. */
let last: { version: string; caller: string; environment: Environment } | undefined;

export function useDraft({ entry, described, operation, bodies }: Drafted): Draft {
  const { document } = described;
  const { values, setValue } = useValues(document, operation);
  const body = useBody(document, bodies);
  const choice = useCaller(entry, operation);
  const gateways = useQuery(portal).data?.gateways;
  const gateway = gatewayOf(gateways ?? {});
  const address = gateway === undefined ? entry.address : gateway + entry.path;
  const filled = fill(document, address, operation, { values, body: body.sent });
  const own = described.headers?.(operation) ?? [];
  const request = { ...filled.request, headers: [...own, ...filled.request.headers] };
  return {
    values,
    setValue,
    body,
    ...choice,
    filled: { ...filled, request },
    isAnonymous: operation.isAnonymous && choice.caller === undefined,
  };
}

/** Values of parameters; required ones start with the document's examples. */
function useValues(document: unknown, operation: Operation) {
  const [values, setValues] = useState<ReadonlyMap<string, string>>(() => {
    const required = operation.parameters.filter(({ isRequired }) => isRequired);
    const given = required.flatMap((parameter): [string, string][] => {
      const value = parameter.example ?? givenOf(document, parameter.schema);
      const text = parameterText(document, parameter, value);
      return value === undefined || text.length > TEXT_CHARACTERS_MAX
        ? []
        : [[keyOf(parameter), text]];
    });
    return new Map(given);
  });
  const setValue = useCallback((key: string, value: string | undefined) => {
    setValues((present) => {
      const next = new Map(present);
      if (value === undefined) next.delete(key);
      else next.set(key, value);
      return next;
    });
  }, []);
  return { values, setValue };
}

function useCaller(entry: CatalogueEntry, operation: Operation) {
  const callers = entry.mine?.subscriptions ?? [];
  const before = last?.version === entry.version ? last : undefined;
  const [chosen, setChosen] = useState(before?.caller);
  const [environment, setEnvironment] = useState<Environment>(before?.environment ?? "production");
  const active = callers.find(({ status }) => status === "active") ?? callers[0];
  // Until the user chooses, a subscription that is loaded later becomes the caller.
  const caller = chosen ?? (operation.isAnonymous ? NOBODY : (active?.id ?? NOBODY));
  const keep = (next: { caller: string; environment: Environment }) => {
    last = { version: entry.version, ...next };
    setChosen(next.caller);
    setEnvironment(next.environment);
  };
  return {
    caller: callers.find(({ id }) => id === caller),
    setCaller: (id: string) => keep({ caller: id, environment }),
    environment,
    setEnvironment: (it: Environment) => keep({ caller, environment: it }),
  };
}
