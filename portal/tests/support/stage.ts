// The stage of a test file: one browser, one binary, one back end, for all of its tests.

import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { type Expected, type Watched, closeWindows, open, sharedBrowser, signIn } from "./browser";
import { type Person, Tollgate, freePort } from "./tollgate";
import { type BackEnd, startBackEnd } from "./upstream";

export class Stage {
  browser!: Browser;
  backEnd!: BackEnd;
  tollgate!: Tollgate;
  #opened: Watched[] = [];

  /** Opens a window, which is closed when the test ends. */
  async window(options: BrowserContextOptions = {}, expected: Expected = []): Promise<Watched> {
    const watched = await open(this.browser, this.tollgate, options, expected);
    this.#opened.push(watched);
    return watched;
  }

  /** Opens a window with a signed-in user. */
  async as(
    person: Pick<Person, "name" | "password">,
    expected: Expected = [],
    options: BrowserContextOptions = {},
  ): Promise<Watched> {
    const watched = await this.window(options, expected);
    await signIn(watched.page, person);
    return watched;
  }

  async closeWindows(): Promise<void> {
    const opened = this.#opened;
    this.#opened = [];
    await Promise.all(opened.map(({ close }) => close()));
  }
}

/** Starts an installation with public URLs, which enable the key manager. */
export async function startKeyManager(...flags: string[]): Promise<Tollgate> {
  const [control, gateway] = [await freePort(), await freePort()];
  return Tollgate.start(
    `--control-listen=127.0.0.1:${control}`,
    `--control-public-url=http://127.0.0.1:${control}`,
    `--gateway-listen=127.0.0.1:${gateway}`,
    `--gateway-public-url=http://127.0.0.1:${gateway}`,
    ...flags,
  );
}

/** Sets the stage for a test file; `start` starts its installation. */
export function stage(start: () => Promise<Tollgate> = () => Tollgate.start()): Stage {
  const stage = new Stage();
  beforeAll(async () => {
    [stage.browser, stage.backEnd, stage.tollgate] = await Promise.all([
      sharedBrowser(),
      startBackEnd(),
      start(),
    ]);
  });
  afterEach(() => stage.closeWindows());
  afterAll(async () => {
    await closeWindows(stage.browser);
    await Promise.all([stage.tollgate.stop(), stage.backEnd.stop()]);
  });
  return stage;
}
