// The line with which the portals' tests end, for who reads the end of a long log.

import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const ended = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that does not load, or not get ready, has no test that has failed.
    const isBroken = (it: TestModule) =>
      !it.ok() && [...it.children.allTests("failed")].length === 0;
    const broken = modules.filter(isBroken).length;
    const failed = ended("failed") + broken + errors.length;
    process.once("exit", () => {
      console.log(`portal: ${ended("passed")} passed, ${failed} failed`);
    });
  }
}
