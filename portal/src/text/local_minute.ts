// The value of `datetime-local` inputs, which is in the browser's time zone.

/** Formats a time as `2026-11-24T14:05`. */
export function localMinute(at: string): string {
  const date = new Date(at);
  const shifted = date.getTime() - date.getTimezoneOffset() * 60_000;
  return new Date(shifted).toISOString().slice(0, 16);
}

/** Returns the time as sent; an invalid one unchanged, which the API reports. */
export function timeOfLocalMinute(typed: string): string {
  const at = new Date(typed);
  return Number.isNaN(at.getTime()) ? typed : at.toISOString();
}
