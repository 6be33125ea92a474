// Pages are files that are loaded when they are opened. What becomes of a file that does not come:
// without a server, a sentence; where the file is gone, since a new binary runs under an old page,
// the page is loaded anew, once. Nothing happens where a file was only fetched ahead.

import { lazyRouteComponent } from "@tanstack/react-router";
import { client } from "../api/client";

/** Like the router's own, which loads the page anew for a script that is gone. */
export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(async () => {
    try {
      return await importer();
    } catch (error) {
      // Throws that there is no answer, where there is none.
      await client.GET("/api/v1/session");
      throw error;
    }
  }, name);

const KEY = "reloaded_for";

/** Loads the page anew for a style sheet that is gone; returns whether it does. */
export function reloadForStyles(error: unknown): boolean {
  if (!(error instanceof Error) || !error.message.startsWith("Unable to preload CSS")) return false;
  if (sessionStorage.getItem(KEY) === error.message) return false;
  sessionStorage.setItem(KEY, error.message);
  location.reload();
  return true;
}
