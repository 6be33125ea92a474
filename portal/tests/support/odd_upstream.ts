// A back end with responses that are hard to show: errors, large, binary, endless. It records the
// requests that reach it.

import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  createServer,
} from "node:http";
import { type BackEnd, listening } from "./upstream";

const MIB = 1024 * 1024;

function endless(answer: ServerResponse): void {
  answer.writeHead(200, { "content-type": "text/plain" });
  // Slow enough to press Cancel before the page stops by itself.
  const timer = setInterval(() => answer.write("x".repeat(MIB / 8)), 100);
  answer.on("close", () => clearInterval(timer));
}

function give(request: IncomingMessage, body: string, answer: ServerResponse): void {
  const json = { "content-type": "application/json" };
  switch (new URL(request.url ?? "/", "http://x").pathname) {
    case "/missing":
      return void answer.writeHead(404, { ...json, "x-own": "of the back end" }).end('{"no":1}');
    case "/large":
      return void answer.writeHead(200, json).end(`["${"x".repeat(20 * MIB)}"]`);
    case "/binary":
      return void answer
        .writeHead(200, { "content-type": "image/png" })
        .end(Buffer.alloc(3_000, 1));
    case "/endless":
      return endless(answer);
    default: {
      const { method, url } = request;
      answer.writeHead(200, { ...json, "x-own": "of the back end" });
      answer.end(JSON.stringify({ method, url, body }));
    }
  }
}

/** A request as received. */
export interface Seen {
  method: string;
  /** Path and query. */
  address: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface OddBackEnd extends BackEnd {
  seen: Seen[];
}

export async function startOddBackEnd(): Promise<OddBackEnd> {
  const seen: Seen[] = [];
  const server = createServer((request, answer) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body = Buffer.concat(pieces);
      seen.push({ method, address: url, headers, body });
      give(request, body.toString(), answer);
    });
  });
  return { ...(await listening(server)), seen };
}
