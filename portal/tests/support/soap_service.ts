// A third-party SOAP service: the shop of npm's `soap`, from `crates/tollgate/tests/peers`. It
// parses envelopes by its own WSDL.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "./tollgate";
import type { BackEnd } from "./upstream";

const PEERS = join(ROOT, "crates/tollgate/tests/peers");
const isInstalled = existsSync(join(PEERS, "node-soap/node_modules"));

/** Whether to skip SOAP flows; if services are required, they fail instead. */
export const hasNoSoapService = !isInstalled && process.env["TOLLGATE_REQUIRE_SERVICES"] !== "1";
if (hasNoSoapService)
  console.log("skipped: flows of SOAP; missing: node-soap (make deps builds it)");

/** Returns the address of its WSDL; it also serves the documents that the WSDL refers to. */
export const wsdlOf = ({ url }: BackEnd): string => `${url}/shop?wsdl`;

/** Starts the shop, which serves its orders at `/shop`. */
export async function startSoapService(): Promise<BackEnd> {
  const words = [join(PEERS, "node-soap/server.js"), "0", join(PEERS, "contract/shop.wsdl")];
  const child = spawn("node", words, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      stop: () => {
        child.stdin.end();
        return ended;
      },
    };
  }
  throw new Error("the SOAP service did not start (make deps builds it)");
}
