// A form: shows faults at their fields and below its buttons, moves the focus to the first one,
// allows one attempt at a time, and keeps the input if it fails. A change that is saved but not yet
// in effect is reported, and queries are refetched.

import { type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Form as AriaForm, FormContext } from "react-aria-components";
import { Problem } from "../api/problem";
import { queryClient } from "../api/query_client";
import { FailedAttempt } from "./FailedAttempt";
import { type NamedFault, controlAt, nameFaults, showControl } from "./fault_places";
import { Faults } from "./Field";
import styles from "./Form.module.css";

/** Leads to fields that the page shows on request, such as those of one step among many. */
export interface Lead {
  /** Returns the problem with its faults at the fields where they are now. */
  follow: (problem: Problem) => Problem;
  /** Names the field with this JSON pointer; undefined for fields that are always shown. */
  nameOf: (pointer: string) => string | undefined;
  /** Shows and focuses the field with this JSON pointer. */
  show: (pointer: string) => void;
}

interface FormProps {
  onSubmit: () => Promise<void>;
  /** Renders the content; receives whether an attempt is in progress. */
  children: (isPending: boolean) => ReactNode;
  label?: string;
  lead?: Lead | undefined;
  /** Returns a link to the page that has the field with this JSON pointer, if there is one. */
  elsewhere?: (pointer: string) => ReactNode;
}

/** A failed attempt, and the names of the faulty fields that the page showed then. */
interface Failure {
  problem: Problem;
  named: readonly NamedFault[] | null;
}

export function Form({ onSubmit, children, label, lead, elsewhere }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isPending, setPending] = useState(false);
  const problem = failure?.problem ?? null;
  // A saved change must not be saved again until the input changes.
  const isSaved = problem?.isBehind ?? false;
  const show = (pointer: string) => {
    if (lead?.nameOf(pointer) !== undefined) lead.show(pointer);
    else if (form.current) {
      const control = controlAt(form.current, pointer);
      if (control) showControl(control);
    }
  };
  const fail = (problem: Problem) => {
    // Rows with faults unfold, so that their fields have names and can be focused.
    flushSync(() => setFailure({ problem, named: null }));
    const named = form.current ? nameFaults(form.current, problem.faults) : [];
    flushSync(() => setFailure({ problem, named }));
    const faults = lead ? followed(lead, { problem, named }) : named;
    const first = faults.find(({ name }) => name !== undefined);
    if (first) show(first.fault.field);
  };
  const submit = async () => {
    if (isPending || isSaved) return;
    setPending(true);
    setFailure(null);
    try {
      await onSubmit();
    } catch (error) {
      const problem = Problem.from(error);
      fail(problem);
      if (problem.isBehind) refetch(problem);
    } finally {
      setPending(false);
    }
  };
  const named = failure?.named;
  return (
    // A form in a dialog of another form would inherit that form's props and submit it, too.
    <FormContext.Provider value={null}>
      <AriaForm
        ref={form}
        className={styles["form"] ?? ""}
        data-failed={problem ? "" : undefined}
        {...(label === undefined ? {} : { "aria-label": label })}
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          void submit();
        }}
      >
        <div
          className={styles["parts"]}
          onChange={() => {
            if (isSaved) setFailure(null);
          }}
        >
          <Faults value={problem}>{children(isPending || isSaved)}</Faults>
          {problem && named && (
            <FailedAttempt
              problem={problem}
              faults={lead ? followed(lead, { problem, named }) : named}
              onShow={show}
              elsewhere={elsewhere}
            />
          )}
        </div>
      </AriaForm>
    </FormContext.Provider>
  );
}

/** Returns the faults where they are now: first those of fields that are shown on request. */
function followed(lead: Lead, { problem, named }: Failure): readonly NamedFault[] {
  const nameOf = ({ field }: { field: string }) =>
    lead.nameOf(field) ?? named?.find(({ fault }) => fault.field === field)?.name;
  const isAside = ({ field }: { field: string }) => Number(lead.nameOf(field) === undefined);
  const { faults } = lead.follow(problem);
  const sorted = faults.toSorted((one, other) => isAside(one) - isAside(other));
  return sorted.map((fault) => ({ fault, name: nameOf(fault) }));
}

const REFETCH_S = 2;

/** Refetches at once, and again when gateways have had time to catch up. */
function refetch({ retryAfterS = REFETCH_S }: Problem): void {
  void queryClient.invalidateQueries();
  setTimeout(() => void queryClient.invalidateQueries(), retryAfterS * 1_000);
}
