// The real binary, with data in a temporary folder and free ports, as `make test` has built it.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { paths } from "../../src/api/schema";
import createClient, { type Client } from "openapi-fetch";

const ROOT = resolve(import.meta.dirname, "../../..");
const TARGET = process.env["CARGO_TARGET_DIR"] ?? join(ROOT, "target");
const BINARY = process.env["TOLLGATE_BINARY"] ?? join(TARGET, "debug/tollgate");

export const PASSWORD = "a sentence that nobody guesses";

export interface Person {
  name: string;
  password: string;
  /** The HTTP API as this person uses it. */
  api: Client<paths>;
}

export class Tollgate {
  readonly control: string;
  readonly gateway: string;
  readonly administrator: Person;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(started: Started, administrator: Person) {
    this.control = started.control;
    this.gateway = started.gateway;
    this.administrator = administrator;
    this.#child = started.child;
    this.#folder = started.folder;
  }

  /** Starts a new installation, whose administrator has settled in. */
  static async start(...flags: string[]): Promise<Tollgate> {
    const started = await launch(flags);
    const name = "administrator";
    const administrator = await settleIn(started.control, name, started.oneTimePassword);
    return new Tollgate(started, administrator);
  }

  /** Makes a user with these roles, who has chosen a password. */
  async person(name: string, ...roles: Role[]): Promise<Person> {
    const made = await this.administrator.api.POST("/api/v1/users", { body: { name, roles } });
    const password = made.data?.one_time_password;
    if (!password) throw new Error(`no user ${name}: ${JSON.stringify(made.error)}`);
    return settleIn(this.control, name, password);
  }

  /** Makes a user who has not changed the one-time password yet; returns that. */
  async newcomer(name: string, ...roles: Role[]): Promise<string> {
    const made = await this.administrator.api.POST("/api/v1/users", { body: { name, roles } });
    return made.data?.one_time_password ?? "";
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type Role = "administrator" | "publisher" | "developer";

interface Started {
  child: ChildProcess;
  folder: string;
  control: string;
  gateway: string;
  oneTimePassword: string;
}

async function launch(flags: string[]): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-portal-"));
  const child = spawn(
    BINARY,
    [
      "run",
      `--data=${join(folder, "data")}`,
      "--control-listen=127.0.0.1:0",
      "--gateway-listen=127.0.0.1:0",
      ...flags,
    ],
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
  );
  const log: string[] = [];
  child.stderr.on("data", (bytes: Buffer) => log.push(bytes.toString()));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line === "ready") break;
  }
  // What it says later is not needed, and must not fill the pipe.
  child.stdout.resume();
  const all = said.join("\n");
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(all)?.[1];
    if (found === undefined) throw new Error(`${BINARY} has not started:\n${all}\n${log.join("")}`);
    return found;
  };
  return {
    child,
    folder,
    control: find(/^control plane: (http:\S+)$/m),
    gateway: find(/^gateway: (http:\S+)$/m),
    oneTimePassword: find(/^first sign-in: .* one-time password (\S+)$/m),
  };
}

/** Signs in with the one-time password, changes it, and makes an access token. */
async function settleIn(control: string, name: string, oneTimePassword: string): Promise<Person> {
  const session = await fetch(`${control}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, password: oneTimePassword }),
  });
  const { csrf } = (await session.json()) as { csrf: string };
  const cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const headers = { "content-type": "application/json", "x-csrf-token": csrf, cookie };
  const change = { password: oneTimePassword, new_password: PASSWORD };
  await fetch(`${control}/api/v1/session/password`, {
    method: "PUT",
    headers,
    body: JSON.stringify(change),
  });
  const made = await fetch(`${control}/api/v1/access-tokens`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "tests" }),
  });
  const { token } = (await made.json()) as { token: string };
  const api = createClient<paths>({
    baseUrl: control,
    headers: { authorization: `Bearer ${token}` },
  });
  return { name, password: PASSWORD, api };
}
