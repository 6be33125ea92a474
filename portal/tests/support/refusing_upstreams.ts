// Back ends with responses that the gateway refuses to forward.

import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type BackEnd, listening } from "./upstream";

/** Starts a back end that returns the status in its path, and a page instead of an envelope. */
export function startMoody(): Promise<BackEnd> {
  const server = createServer((request, answer) => {
    request.resume();
    const status = Number(request.url?.slice(1));
    answer.writeHead(status, { "content-type": "text/html" }).end("<p>Not an envelope</p>");
  });
  return listening(server);
}

/** Starts a TLS back end with a self-signed certificate. */
export function startUnknown(): Promise<BackEnd> {
  const words = "req -x509 -newkey rsa:2048 -nodes -keyout - -out - -days 1 -subj /CN=localhost";
  const made = execFileSync("openssl", words.split(" "), { stdio: ["ignore", "pipe", "ignore"] });
  const server = createTlsServer({ key: made, cert: made }, (_, answer) => answer.end());
  return listening(server, "https");
}
