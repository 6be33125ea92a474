// An API that fails, as no real one does when asked: routed by the browser.

import type { Page, Route } from "playwright-core";

/** What stays as it is: without it there is no page to look at. */
const SPARED = /\/api\/v1\/(session|portal)$/;

/** Answers as the control plane does where it says no. */
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

/** Lets all that the page asks fail, until what it returns is called. */
export async function failing(page: Page): Promise<() => Promise<void>> {
  const isAsked = (url: URL) => url.pathname.startsWith("/api/") && !SPARED.test(url.pathname);
  const fail = (route: Route) => refuse(route, 500, "internal", "something of ours has failed");
  await page.route(isAsked, fail);
  return () => page.unroute(isAsked, fail);
}
