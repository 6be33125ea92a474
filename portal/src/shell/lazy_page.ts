// Pages are files that are loaded when opened. If a file fails to load: without a server, an error
// is shown; if the file is gone, because a new binary runs under an old page, the page is reloaded
// once. A failed prefetch is ignored.

import { lazyRouteComponent } from "@tanstack/react-router";
import { client } from "../api/client";

/** Like the router's own, which reloads the page if a script is gone. */
export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(async () => {
    try {
      return await importer();
    } catch (error) {
      // Throws a problem if the server does not respond.
      await client.GET("/api/v1/session");
      throw error;
    }
  }, name);

const KEY = "reloaded_for";

/** Reloads the page if a style sheet is gone; returns whether it does. */
export function reloadForStyles(error: unknown): boolean {
  if (!(error instanceof Error) || !error.message.startsWith("Unable to preload CSS")) return false;
  if (sessionStorage.getItem(KEY) === error.message) return false;
  sessionStorage.setItem(KEY, error.message);
  location.reload();
  return true;
}
