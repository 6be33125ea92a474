/** Saves data in memory as a file. */
export function saveFile(body: Blob, name: string): void {
  // A type that no browser opens in place.
  const url = URL.createObjectURL(body.slice(0, body.size, "application/octet-stream"));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser has started reading it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
