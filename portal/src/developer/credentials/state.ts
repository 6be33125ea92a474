// The state of a credential at a point in time.

import type { Credential } from "../../api/queries/credentials";
import type { Tone } from "../../ui/Badge";
import { text } from "../../text/text";

/** An expiry this close is shown as a warning. */
const SOON_MS = 7 * 86_400_000;

const words = text.developer.credentials;
const isPast = (at: string | null | undefined, nowMs: number) =>
  Boolean(at && Date.parse(at) <= nowMs);

/** Returns the earlier of its own expiry and the end of a rotated key's grace period. */
export function endOf(credential: Credential): string | null | undefined {
  const { expires_at } = credential;
  const grace = "grace_until" in credential ? credential.grace_until : undefined;
  if (!grace || !expires_at) return grace ?? expires_at;
  return Date.parse(grace) < Date.parse(expires_at) ? grace : expires_at;
}

export function hasEnded(credential: Credential, nowMs: number): boolean {
  return Boolean(credential.revoked_at) || isPast(endOf(credential), nowMs);
}

export function stateOf(credential: Credential, nowMs: number): { tone: Tone; word: string } {
  const { revoked_at, suspended_at, not_before } = credential;
  const end = endOf(credential);
  if (revoked_at) return { tone: "quiet", word: words.revoked };
  if (isPast(end, nowMs)) return { tone: "quiet", word: words.ended };
  if (suspended_at) return { tone: "bad", word: words.suspended };
  if (not_before && !isPast(not_before, nowMs)) return { tone: "information", word: words.notYet };
  if (isPast(end, nowMs + SOON_MS)) return { tone: "warning", word: words.ending };
  return { tone: "good", word: words.live };
}

/** Returns the end of the grace period of the secret before a rotation, if not yet over. */
export function previousUntil(credential: Credential, nowMs: number): string | undefined {
  const until = "previous_until" in credential ? credential.previous_until : undefined;
  return until && !isPast(until, nowMs) ? until : undefined;
}
