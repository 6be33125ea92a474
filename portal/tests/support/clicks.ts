// Counts what a person does, and how long it takes.

import type { Locator } from "playwright-core";

export class Clicks {
  count = 0;
  readonly #began = performance.now();

  async on(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  /** Says what a flow took, for who reads the tests' output. */
  print(flow: string): void {
    const seconds = (performance.now() - this.#began) / 1_000;
    console.log(`${flow}: ${this.count} clicks, ${seconds.toFixed(1)} s`);
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1_000;
  }
}
