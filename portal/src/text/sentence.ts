/** The API's details begin in lower case, since they follow a code; here they stand alone. */
export function sentence(detail: string): string {
  const end = /[.!?…]$/.test(detail) ? "" : ".";
  return detail.charAt(0).toUpperCase() + detail.slice(1) + end;
}
