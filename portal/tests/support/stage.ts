// What most flows begin with: the binary, a browser, a back end, plans, and people.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { type Expected, type Watched, launchBrowser, open, signIn } from "./browser";
import { makePlans } from "./seed";
import { type Person, Tollgate } from "./tollgate";
import { type BackEnd, startBackEnd } from "./upstream";

export interface Stage {
  browser: Browser;
  tollgate: Tollgate;
  backEnd: BackEnd;
  /** Publishes, and calls what was published. */
  petra: Person;
}

/** Is there before the first test of a file, and gone after its last. */
export function stage(): Stage {
  const stage = {} as Stage;
  beforeAll(async () => {
    const [browser, tollgate, backEnd] = await Promise.all([
      launchBrowser(),
      Tollgate.start(),
      startBackEnd(),
    ]);
    await makePlans(tollgate.administrator);
    const petra = await tollgate.person("petra", "publisher", "developer");
    Object.assign(stage, { browser, tollgate, backEnd, petra });
  });
  afterAll(async () => {
    await stage.browser.close();
    await stage.tollgate.stop();
    await stage.backEnd.stop();
  });
  return stage;
}

/** Opens a window in which somebody is signed in, and finds it without fault in the end. */
export async function asPerson(
  { browser, tollgate }: Stage,
  person: Person,
  flow: (watched: Watched) => Promise<void>,
  expected: Expected = [],
): Promise<void> {
  const watched = await open(browser, tollgate, {}, expected);
  try {
    await signIn(watched.page, person);
    await flow(watched);
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.close();
  }
}
