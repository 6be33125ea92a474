import type { CatalogueEntry } from "../api/queries/catalogue";
import type { Subscription } from "../api/queries/subscriptions";
import { text } from "../text/text";
import { Badge, type Tone } from "./Badge";

const STATES: Record<CatalogueEntry["state"], Tone> = {
  created: "quiet",
  prototyped: "information",
  published: "good",
  blocked: "bad",
  deprecated: "warning",
  retired: "quiet",
};

/** The lifecycle state of a version. */
export function VersionState({ state }: { state: CatalogueEntry["state"] }) {
  return <Badge tone={STATES[state]}>{text.nouns.states[state]}</Badge>;
}

const STATUSES: Record<Subscription["status"], Tone> = {
  pending: "warning",
  active: "good",
  blocked: "bad",
  blocked_production: "bad",
  rejected: "bad",
};

/** The status of a subscription. */
export function SubscriptionStatus({ status }: { status: Subscription["status"] }) {
  return <Badge tone={STATUSES[status]}>{text.nouns.statuses[status]}</Badge>;
}
