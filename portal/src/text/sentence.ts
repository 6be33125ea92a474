/** Turns an API detail into a sentence; details begin in lower case because they follow a code. */
export function sentence(detail: string): string {
  const end = /[.!?…]$/.test(detail) ? "" : ".";
  return detail.charAt(0).toUpperCase() + detail.slice(1) + end;
}
