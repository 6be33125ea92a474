// Terms of a credential, as entered and as sent.

import type { Allowed, Credential, Environment } from "../../api/queries/credentials";
import { localMinute, timeOfLocalMinute } from "../../text/local_minute";

export type Expiry = "never" | "30" | "90" | "365" | "date";

/** State of the form fields. */
export interface Terms {
  name: string;
  environment: Environment;
  expiry: Expiry;
  /** With `date`: the value of a `datetime-local` input, in the browser's time zone. */
  endsAt: string;
  /** One per line. */
  addresses: string;
  origins: string;
}

export const NEW_TERMS: Terms = {
  name: "",
  environment: "production",
  expiry: "never",
  endsAt: "",
  addresses: "",
  origins: "",
};

export function termsOf(credential: Credential): Terms {
  const { name, environment, expires_at, allowed } = credential;
  return {
    name,
    environment,
    expiry: expires_at ? "date" : "never",
    endsAt: expires_at ? localMinute(expires_at) : "",
    addresses: allowed?.addresses.join("\n") ?? "",
    origins: allowed?.origins.join("\n") ?? "",
  };
}

/** Returns the request for a new credential. */
export function newCredential(terms: Terms, nowMs: number) {
  const expires_at = expiresAt(terms, nowMs);
  return {
    name: terms.name,
    environment: terms.environment,
    allowed: allowedOf(terms),
    ...(expires_at === null ? {} : { expires_at }),
  };
}

/** Returns the changed fields, as a request. */
export function changes(before: Terms, after: Terms, nowMs: number) {
  const isOtherEnd = before.expiry !== after.expiry || before.endsAt !== after.endsAt;
  const isElsewhere = before.addresses !== after.addresses || before.origins !== after.origins;
  return {
    ...(before.name === after.name ? {} : { name: after.name }),
    ...(isOtherEnd ? { expires_at: expiresAt(after, nowMs) } : {}),
    ...(isElsewhere ? { allowed: allowedOf(after) } : {}),
  };
}

const DAY_MS = 86_400_000;

function expiresAt({ expiry, endsAt }: Terms, nowMs: number): string | null {
  if (expiry === "never") return null;
  if (expiry !== "date") return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
  return timeOfLocalMinute(endsAt);
}

function allowedOf({ addresses, origins }: Terms): Allowed {
  return { addresses: lines(addresses), origins: lines(origins) };
}

const lines = (typed: string) => typed.split(/\s+/).filter((line) => line !== "");
