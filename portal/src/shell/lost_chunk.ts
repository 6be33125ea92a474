// A new binary under an old page: the page asks for a file that the new one no longer has. Loading
// the page again brings the new one; once, so that a file that is really missing does not reload for ever.

const KEY = "reloaded_at";
const AGAIN_AFTER_MS = 60_000;

export function reloadOnLostChunk(): void {
  addEventListener("vite:preloadError", (event) => {
    const before = Number(sessionStorage.getItem(KEY) ?? 0);
    if (Date.now() - before < AGAIN_AFTER_MS) return;
    event.preventDefault();
    sessionStorage.setItem(KEY, String(Date.now()));
    location.reload();
  });
}
