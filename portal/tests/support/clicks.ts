// Counts user actions and measures their time; by mouse, and in the whole matrix also on a phone
// and by keyboard alone.

import type { BrowserContextOptions, Locator } from "playwright-core";
import { DESKTOP, PHONE } from "./browser";

/** A way to use a control. */
type Use = (target: Locator) => Promise<void>;

const byMouse: Use = (target) => target.click();

/** More tab stops than any page has. */
const STOPS_MAX = 400;

/** Presses Tab until the control has the focus, and uses it. */
const byKeyboard: Use = async (target) => {
  const { keyboard } = target.page();
  await target.waitFor();
  const hasFocus = () => target.evaluate((element) => element.contains(document.activeElement));
  for (let stop = 0; !(await hasFocus()); stop += 1) {
    if (stop === STOPS_MAX) throw new Error(`Tab does not reach ${String(target)}`);
    await keyboard.press("Tab");
  }
  const isBox = await target.evaluate((element) => element.querySelector("input") !== null);
  await keyboard.press(isBox ? "Space" : "Enter");
};

export interface Way {
  name: string;
  use: Use;
  options: BrowserContextOptions;
}

/** The ways in which the main flows are run. */
export const WAYS: readonly Way[] = [
  { name: "by mouse", use: byMouse, options: { viewport: DESKTOP } },
  { name: "on a phone", use: byMouse, options: { viewport: PHONE } },
  { name: "by keyboard", use: byKeyboard, options: { viewport: DESKTOP } },
].slice(0, process.env["TOLLGATE_PORTAL_MATRIX"] === "whole" ? undefined : 1);

export class Clicks {
  count = 0;
  readonly #use: Use;
  readonly #began = performance.now();

  constructor({ use }: Pick<Way, "use"> = { use: byMouse }) {
    this.#use = use;
  }

  async on(target: Locator): Promise<void> {
    this.count += 1;
    await this.#use(target);
  }

  /** Prints clicks and time of a flow, for the tests' output. */
  print(flow: string): void {
    console.log(`${flow}: ${this.count} clicks, ${this.seconds.toFixed(1)} s`);
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1_000;
  }
}
