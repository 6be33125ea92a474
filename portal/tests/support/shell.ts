import { execFileSync } from "node:child_process";

/** Runs lines as they are pasted into a shell; returns what they print. */
export function pasted(lines: string): string {
  return execFileSync("bash", {
    input: lines,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
}
