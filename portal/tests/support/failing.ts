// A failing API, simulated by routes in the browser.

import type { Page, Route } from "playwright-core";

/** Requests that do not fail, because no page loads without them. */
const SPARED = /\/api\/v1\/(session|portal)$/;

/** Responds with a problem, as the control plane does. */
export function refuse(route: Route, status: number, code: string, detail: string): Promise<void> {
  const body = JSON.stringify({
    type: "about:blank",
    title: "Refused",
    status,
    code,
    detail,
    request_id: "req_00000000000000000000000000000000",
  });
  return route.fulfill({ status, contentType: "application/problem+json", body });
}

/** Makes all requests of the page fail until the returned function is called. */
export async function failing(page: Page): Promise<() => Promise<void>> {
  const isApiCall = (url: URL) => url.pathname.startsWith("/api/") && !SPARED.test(url.pathname);
  const fail = (route: Route) => refuse(route, 500, "internal", "an internal error occurred");
  await page.route(isApiCall, fail);
  return () => page.unroute(isApiCall, fail);
}
