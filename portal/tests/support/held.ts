// Responses that arrive late, and what may not move when they do.

import type { Locator, Page, Request } from "playwright-core";

/** Holds back the page's requests to these URLs, if `isHeld`, until the function is called. */
export async function hold(
  page: Page,
  url: string,
  isHeld: (request: Request) => boolean = () => true,
): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(url, async (route) => {
    if (isHeld(route.request())) await released;
    await route.continue();
  });
  return release;
}

/** Waits until a dialog has faded in. */
export const fadedIn = (dialog: Locator): Promise<unknown> =>
  dialog.evaluate((shown) =>
    Promise.all(shown.getAnimations({ subtree: true }).map(({ finished }) => finished)),
  );

/** Returns where elements are on the screen. */
export const placesOf = (...elements: readonly Locator[]) =>
  Promise.all(elements.map((element) => element.boundingBox()));
