import { spawn } from "node:child_process";

/** Runs lines as they are pasted into a shell; resolves to what they print. */
export function pasted(lines: string): Promise<string> {
  const shell = spawn("bash", { stdio: ["pipe", "pipe", "ignore"] });
  let printed = "";
  shell.stdout.on("data", (bytes: Buffer) => (printed += bytes.toString()));
  shell.stdin.end(lines);
  return new Promise((resolve, reject) => {
    shell.on("close", () => resolve(printed));
    shell.on("error", reject);
  });
}
