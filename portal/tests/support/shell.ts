import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * Runs lines as if pasted into a shell; resolves to their output. Does not block this process,
 * because the called back end may run in it.
 */
export function pasted(lines: string): Promise<string> {
  const shell = spawn("bash", { stdio: ["pipe", "pipe", "ignore"] });
  shell.stdin.end(lines);
  return text(shell.stdout);
}
