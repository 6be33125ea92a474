// Reports the portals' tests for readers of a long log: the duration of each that needs a browser
// or the binary, which `.ci/test` reads, and a closing line with the totals.

import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const [, file] = /\/tests\/(.+)\.test\.ts$/.exec(module.moduleId) ?? [];
    if (file === undefined) return;
    for (const test of module.children.allTests("passed")) {
      const seconds = (test.diagnostic()?.duration ?? 0) / 1_000;
      console.log(`test ${file}: ${test.fullName}: ${seconds.toFixed(1)} s`);
    }
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const ended = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that fails to load or to set up has no failed test.
    const isBroken = (it: TestModule) =>
      !it.ok() && [...it.children.allTests("failed")].length === 0;
    const broken = modules.filter(isBroken).length;
    const failed = ended("failed") + broken + errors.length;
    process.once("exit", () => {
      console.log(`portal: ${ended("passed")} passed, ${failed} failed`);
    });
  }
}
