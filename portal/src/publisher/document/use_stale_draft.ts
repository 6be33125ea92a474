// A draft that someone else has changed before a document was saved to it: what changed, so that
// the user looks again before saving.

import { useState } from "react";
import { Problem } from "../../api/problem";
import {
  type Configuration,
  type TaggedDraft,
  draft as draftQuery,
} from "../../api/queries/versions";
import { queryClient } from "../../api/query_client";

interface StaleDraft {
  /** The draft that the user has seen. */
  base: TaggedDraft;
  /** The parts that someone else has changed in it; `null` if nothing. */
  changes: readonly string[] | null;
  /** Saves onto the draft; returns whether nobody had changed it. */
  save: (act: () => Promise<void>) => Promise<boolean>;
}

export function useStaleDraft(id: string, draft: TaggedDraft): StaleDraft {
  const [base, setBase] = useState(draft);
  const [changes, setChanges] = useState<readonly string[] | null>(null);
  return {
    base,
    changes,
    save: async (act) => {
      try {
        await act();
        return true;
      } catch (error) {
        if (Problem.from(error).status !== 412) throw error;
        const now = await queryClient.query({ ...draftQuery(id), staleTime: 0 });
        setChanges(changedParts(base.value, now.value));
        setBase(now);
        return false;
      }
    },
  };
}

function changedParts(before: Configuration, now: Configuration): string[] {
  const [old, present] = [new Map(Object.entries(before)), new Map(Object.entries(now))];
  const parts = new Set([...old.keys(), ...present.keys()]);
  const isChanged = (part: string) =>
    JSON.stringify(old.get(part)) !== JSON.stringify(present.get(part));
  return [...parts].filter(isChanged);
}
