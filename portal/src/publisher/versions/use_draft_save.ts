// Saves a change of a draft. If someone else has changed the same members, nothing is saved until
// the user has chosen between the two.

import { useState } from "react";
import { Problem } from "../../api/problem";
import {
  type Configuration,
  type DraftPatch,
  type TaggedDraft,
  draft as draftQuery,
  patchDraft,
} from "../../api/queries/versions";
import { queryClient } from "../../api/query_client";
import { text } from "../../text/text";
import { notify } from "../../ui/Notices";
import { differencesOf } from "../../ui/differences";

interface DraftChange {
  /** The version. */
  id: string;
  /** Returns the change of a draft as a merge patch. */
  write: (draft: Configuration) => DraftPatch;
  /** Returns the changed members as they are in a draft. */
  read: (draft: Configuration) => object;
  onSaved: (draft: TaggedDraft) => void;
}

interface DraftSave {
  /** Saves the change onto a draft, unless the saved one differs from it. */
  save: (onto: TaggedDraft) => Promise<void>;
  /** The draft that someone else has saved, while the user has to choose. */
  theirs: TaggedDraft | null;
  setTheirs: (theirs: TaggedDraft | null) => void;
}

export function useDraftSave({ id, write, read, onSaved }: DraftChange): DraftSave {
  const [theirs, setTheirs] = useState<TaggedDraft | null>(null);
  const save = async (onto: TaggedDraft): Promise<void> => {
    try {
      const saved = await patchDraft(id, onto.etag, write(onto.value));
      setTheirs(null);
      onSaved(saved);
      notify(text.publisher.version.draft.saved);
    } catch (error) {
      if (Problem.from(error).status !== 412) throw error;
      const now = await queryClient.query({ ...draftQuery(id), staleTime: 0 });
      // Changes to other parts of the draft do not conflict.
      const isElsewhere = differencesOf(read(now.value), read(onto.value)).length === 0;
      if (isElsewhere) await save(now);
      else setTheirs(now);
    }
  };
  return { save, theirs, setTheirs };
}
