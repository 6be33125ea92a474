// Where a credential stands at an instant.

import type { Credential } from "../../api/queries/credentials";
import type { Tone } from "../../ui/Badge";
import { text } from "../../text/text";

/** An end that is this near is told. */
const SOON_MS = 7 * 86_400_000;

const words = text.developer.credentials;
const isPast = (at: string | null | undefined, nowMs: number) =>
  Boolean(at && Date.parse(at) <= nowMs);

export function hasEnded({ revoked_at, expires_at }: Credential, nowMs: number): boolean {
  return Boolean(revoked_at) || isPast(expires_at, nowMs);
}

export function stateOf(credential: Credential, nowMs: number): { tone: Tone; word: string } {
  const { revoked_at, suspended_at, expires_at, not_before } = credential;
  if (revoked_at) return { tone: "quiet", word: words.revoked };
  if (isPast(expires_at, nowMs)) return { tone: "quiet", word: words.ended };
  if (suspended_at) return { tone: "bad", word: words.suspended };
  if (not_before && !isPast(not_before, nowMs)) return { tone: "information", word: words.notYet };
  if (isPast(expires_at, nowMs + SOON_MS)) return { tone: "warning", word: words.ending };
  return { tone: "good", word: words.live };
}

/** Until when the secret before a rotation works too, where that is still so. */
export function previousUntil(credential: Credential, nowMs: number): string | undefined {
  const until = "previous_until" in credential ? credential.previous_until : undefined;
  return until && !isPast(until, nowMs) ? until : undefined;
}
