// From a document to a published API: import, draft, plans, publish. Each step is done once: if one
// fails, the next attempt continues there.

import { type Form, type ImportChoice, type Source, importApi } from "../../api/queries/imports";
import { moveVersion } from "../../api/queries/lifecycle";
import { patchDraft, setOffers } from "../../api/queries/versions";
import { Problem } from "../../api/problem";
import { type UpstreamFields, writeUpstream } from "../versions/upstream_fields";

export type Step = "import" | "upstream" | "plans" | "publish";

/** The steps saved so far. */
export interface Saved {
  api: string;
  version: string;
  done: readonly Step[];
  /** Whether a gateway had not applied it yet when it was published. */
  isBehind: boolean;
}

export interface Publication {
  source: Source;
  /** The detected form. */
  form: Form;
  choice: ImportChoice;
  upstream: UpstreamFields;
  plans: readonly string[];
  /** `false` leaves a draft. */
  isPublished: boolean;
  /** Whether to publish although some operations cannot be called. */
  isWithoutTokens: boolean;
}

/**
 * Runs the steps that are left. Calls `onSaved` after each one, so that the caller knows what was
 * saved when a later step throws.
 */
export async function publish(
  publication: Publication,
  before: Saved | null,
  onSaved: (saved: Saved) => void,
): Promise<Saved> {
  let saved = before ?? (await imported(publication, onSaved));
  const { version } = saved;
  const step = async (name: Step, act: () => Promise<unknown>) => {
    if (saved.done.includes(name)) return;
    const isBehind = await lagged(act());
    saved = { ...saved, done: [...saved.done, name], isBehind: saved.isBehind || isBehind };
    onSaved(saved);
  };
  if (publication.upstream.url !== "") {
    const upstream = writeUpstream(publication.upstream);
    await step("upstream", () => patchDraft(version, undefined, { upstream }));
  }
  if (publication.plans.length > 0)
    await step("plans", () => setOffers(version, [...publication.plans]));
  if (publication.isPublished) {
    const move = {
      to: "published",
      note: "",
      without_tokens: publication.isWithoutTokens,
    } as const;
    await step("publish", () => moveVersion(version, move));
  }
  return saved;
}

async function imported(publication: Publication, onSaved: (saved: Saved) => void) {
  const { source, form, choice, upstream } = publication;
  const { api, version } = await importApi(source, form, choice);
  // The import has set the address; a credential or an authority is set by a step of its own.
  const isSet = choice.isUpstreamProposed && isAddressOnly(upstream);
  const done: Step[] = isSet ? ["import", "upstream"] : ["import"];
  const saved: Saved = { api: api.id, version: version.id, done, isBehind: false };
  onSaved(saved);
  return saved;
}

const isAddressOnly = ({ credential, ca }: UpstreamFields) =>
  credential.kind === "none" && ca === "";

/** Returns whether a change is saved but not yet in effect, which is not a failure. */
async function lagged(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return false;
  } catch (error) {
    if (!Problem.from(error).isBehind) throw error;
    return true;
  }
}
