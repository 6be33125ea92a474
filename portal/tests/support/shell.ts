import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * Runs lines as they are pasted into a shell; resolves to what they print. It is waited for without
 * stopping this process, since the back end that is called may live in it.
 */
export function pasted(lines: string): Promise<string> {
  const shell = spawn("bash", { stdio: ["pipe", "pipe", "ignore"] });
  shell.stdin.end(lines);
  return text(shell.stdout);
}
