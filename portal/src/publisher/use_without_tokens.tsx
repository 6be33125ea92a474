// Publishes or deploys operations that accept only access tokens although none are issued. The API
// refuses this and reports how to fix it; a checkbox accepts it for the next attempt.

import { type ReactNode, useState } from "react";
import { Problem } from "../api/problem";
import { text } from "../text/text";
import { Checkbox } from "../ui/Checkbox";

interface WithoutTokens {
  /** Makes an attempt with the state of the checkbox. */
  attempt: <T>(act: (withoutTokens: boolean) => Promise<T>) => Promise<T>;
  /** The checkbox, once an attempt was refused or is known to be. */
  tick: ReactNode;
}

export function useWithoutTokens(isKnown = false): WithoutTokens {
  const [isRefused, setRefused] = useState(false);
  const [isAccepted, setAccepted] = useState(false);
  return {
    attempt: async (act) => {
      try {
        return await act(isAccepted);
      } catch (error) {
        if (Problem.from(error).code === "lifecycle.no_tokens") setRefused(true);
        throw error;
      }
    },
    tick: (isRefused || isKnown) && (
      <Checkbox isSelected={isAccepted} onChange={setAccepted}>
        {text.publisher.withoutTokens}
      </Checkbox>
    ),
  };
}
