/** Saves what is in memory as a file. */
export function saveFile(body: Blob, name: string): void {
  // Of no type that a browser would open in place.
  const url = URL.createObjectURL(body.slice(0, body.size, "application/octet-stream"));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // After the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
