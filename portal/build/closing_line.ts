// Reports the portals' tests for readers of a long log: the duration of each that needs a browser
// or the binary, or that it passed only at the second try, which `.ci/test` reads, and a closing
// line with the totals and the names of what failed.

import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const [, file] = /\/tests\/(.+)\.test\.ts$/.exec(module.moduleId) ?? [];
    if (file === undefined) return;
    for (const test of module.children.allTests("passed")) {
      const { duration = 0, flaky = false, retryCount = 0 } = test.diagnostic() ?? {};
      // The duration of one that was tried again is that of all its tries.
      console.log(
        flaky
          ? `unsteady: portal ${file}: ${test.fullName} passed at try ${retryCount + 1}`
          : `test ${file}: ${test.fullName}: ${(duration / 1_000).toFixed(1)} s`,
      );
    }
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const ended = (state: "passed" | "failed") =>
      modules.flatMap(({ children }) => [...children.allTests(state)]);
    // A file that fails to load or to set up has no failed test.
    const broken = modules.filter(
      (it) => !it.ok() && [...it.children.allTests("failed")].length === 0,
    );
    const failed = [
      ...ended("failed").map((test) => `${test.module.relativeModuleId}: ${test.fullName}`),
      ...broken.map((it) => it.relativeModuleId),
      ...errors.map(() => "an error outside tests"),
    ];
    const names = failed.length === 0 ? "" : ` (${failed.join("; ")})`;
    process.once("exit", () => {
      console.log(`portal: ${ended("passed").length} passed, ${failed.length} failed${names}`);
    });
  }
}
