// Back ends on loopback: one serves REST, and SOAP at `/soap`.

import { type Server, createServer } from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";

export interface BackEnd {
  url: string;
  stop: () => Promise<void>;
}

const SUM = `<?xml version="1.0"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<AddResponse xmlns="urn:calculator"><sum>5</sum></AddResponse>
</soap:Body></soap:Envelope>`;

/** Starts a back end: echoes requests; returns 500 below `/broken`, an envelope below `/soap`. */
export async function startBackEnd(): Promise<BackEnd> {
  const server: Server = createServer((request, answer) => {
    request.resume();
    request.once("end", () => {
      const { method, url = "/" } = request;
      if (url.startsWith("/soap")) {
        answer.writeHead(200, { "content-type": "text/xml" }).end(SUM);
        return;
      }
      answer.writeHead(url.includes("/broken") ? 500 : 200, { "content-type": "application/json" });
      answer.end(JSON.stringify({ method, url }));
    });
  });
  return listening(server);
}

/** Starts a server on a free loopback port; its connections are closed when it stops. */
export async function listening(server: NetServer, scheme = "http"): Promise<BackEnd> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        open.forEach((socket) => socket.destroy());
      }),
  };
}
