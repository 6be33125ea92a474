// The real binary as built by `make test`, with data in a temporary folder and free ports.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { components, paths } from "../../src/api/schema";
import createClient, { type Client } from "openapi-fetch";

export const ROOT = resolve(import.meta.dirname, "../../..");
const TARGET = process.env["CARGO_TARGET_DIR"] ?? join(ROOT, "target");
const BINARY = process.env["TOLLGATE_BINARY"] ?? join(TARGET, "debug/tollgate");

/** A program that generates data, built beside it: `crates/…/examples/NAME.rs`. */
export const example = (name: string): string => join(dirname(BINARY), "examples", name);

export const PASSWORD = "a sentence that nobody guesses";

export type Api = Client<paths>;
export type Role = components["schemas"]["Role"];

export interface Person {
  name: string;
  password: string;
  /** A personal access token. */
  token: string;
  /** A client of the HTTP API for this person. */
  api: Api;
}

export class Tollgate {
  readonly control: string;
  /** The TLS address, if started with TLS. */
  readonly controlHttps: string | undefined;
  readonly gateway: string;
  /** The TLS address, if started with TLS. */
  readonly gatewayHttps: string | undefined;
  /** The URL of its metrics. */
  readonly metrics: string | undefined;
  readonly administrator: Person;
  readonly #folder: string;
  readonly #flags: readonly string[];
  #child: ChildProcess;

  private constructor(started: Started, administrator: Person) {
    this.control = started.control;
    this.controlHttps = started.controlHttps;
    this.gateway = started.gateway;
    this.gatewayHttps = started.gatewayHttps;
    this.metrics = started.metrics;
    this.administrator = administrator;
    this.#child = started.child;
    this.#folder = started.folder;
    this.#flags = started.flags;
  }

  /** Starts a new installation with an administrator who has set a password. */
  static async start(...flags: string[]): Promise<Tollgate> {
    return Tollgate.#in(temporaryFolder(), flags);
  }

  /** Like {@link start}, also over HTTPS, with a certificate that the browser trusts. */
  static async startHttps(): Promise<Tollgate> {
    const folder = temporaryFolder();
    makeCertificates(dataOf(folder));
    const ports = ["--control-https-listen=127.0.0.1:0", "--gateway-https-listen=127.0.0.1:0"];
    return Tollgate.#in(folder, ports);
  }

  static async #in(folder: string, flags: readonly string[]): Promise<Tollgate> {
    const started = await launch(folder, ["--no-example", ...anyPortsBut(flags), ...flags]);
    const name = "administrator";
    const administrator = await settleIn(started.control, name, started.oneTimePassword ?? "");
    return new Tollgate(started, administrator);
  }

  /** The folder of its databases. */
  get data(): string {
    return dataOf(this.#folder);
  }

  /** Returns the peak growth of its memory in bytes during `act` (Linux, proc(5)). */
  async memoryOf(act: () => Promise<unknown>): Promise<number> {
    const process = `/proc/${this.#child.pid ?? "self"}`;
    const bytes = (name: string) => {
      const status = readFileSync(`${process}/status`, "utf8");
      return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1_024;
    };
    const before = bytes("VmRSS");
    // Resets the peak.
    writeFileSync(`${process}/clear_refs`, "5");
    await act();
    return bytes("VmHWM") - before;
  }

  /** Creates a user with these roles, who has set a password. */
  async person(name: string, ...roles: Role[]): Promise<Person> {
    return settleIn(this.control, name, await this.newcomer(name, ...roles));
  }

  /** Creates a user with an unchanged one-time password; returns the password. */
  async newcomer(name: string, ...roles: Role[]): Promise<string> {
    const made = await this.administrator.api.POST("/api/v1/users", { body: { name, roles } });
    const password = made.data?.one_time_password;
    if (!password) throw new Error(`no user ${name}: ${JSON.stringify(made.error)}`);
    return password;
  }

  /** Stops the program; its data is kept for {@link resume}. */
  async halt(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }

  /**
   * Starts the program again with its data and addresses, and `more` flags; does nothing while it
   * runs.
   */
  async resume(...more: string[]): Promise<void> {
    if (this.#child.exitCode === null) return;
    const fixed = [
      `--control-listen=${new URL(this.control).host}`,
      `--gateway-listen=${new URL(this.gateway).host}`,
    ];
    const flags = this.#flags.filter((flag) => !ANY_PORTS.includes(flag));
    this.#child = (await launch(this.#folder, [...fixed, ...flags, ...more])).child;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) await this.halt();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Flags to listen on free loopback ports. */
const ANY_PORTS = ["control", "gateway", "watch"].map((name) => `--${name}-listen=127.0.0.1:0`);

/** Returns these flags, except those that `flags` already contains. */
function anyPortsBut(flags: readonly string[]): string[] {
  const nameOf = (flag: string) => flag.split("=")[0];
  return ANY_PORTS.filter((port) => !flags.some((flag) => nameOf(flag) === nameOf(port)));
}

/** Returns a free loopback port, for settings that must name a port in advance. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Creates a certificate authority, `ca.crt`, and a certificate signed by it in `certificates`. */
export function makeCertificates(folder: string): void {
  execFileSync(BINARY, ["certificates", `--data=${folder}`], {
    env: settingsAside(),
    stdio: "ignore",
  });
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "tollgate-portal-"));
}

const dataOf = (folder: string): string => join(folder, "data");

interface Started {
  child: ChildProcess;
  folder: string;
  flags: readonly string[];
  control: string;
  controlHttps: string | undefined;
  gateway: string;
  gatewayHttps: string | undefined;
  metrics: string | undefined;
  /** The one-time password, printed at the first start. */
  oneTimePassword: string | undefined;
}

/** Returns the environment without the program's settings. */
function settingsAside(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGATE_"));
  return Object.fromEntries(others);
}

async function launch(folder: string, flags: readonly string[]): Promise<Started> {
  const child = spawn(BINARY, ["run", `--data=${dataOf(folder)}`, ...flags], {
    cwd: folder,
    env: settingsAside(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  child.stderr.on("data", (bytes: Buffer) => log.push(bytes.toString()));
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (line === "ready") break;
  }
  // Later output is not needed, but must not fill the pipe.
  child.stdout.resume();
  const all = printed.join("\n");
  const find = (pattern: RegExp): string | undefined => pattern.exec(all)?.[1];
  const control = find(/^control plane: (http:\S+)$/m);
  const gateway = find(/^gateway: (http:\S+)$/m);
  if (control === undefined || gateway === undefined) {
    throw new Error(`${BINARY} did not start:\n${all}\n${log.join("")}`);
  }
  return {
    child,
    folder,
    flags,
    control,
    controlHttps: find(/^control plane: (https:\S+)$/m),
    gateway,
    gatewayHttps: find(/^gateway: (https:\S+)$/m),
    metrics: find(/^metrics: (\S+)$/m),
    oneTimePassword: find(/^first sign-in: .* one-time password (\S+)$/m),
  };
}

/** Signs in with the one-time password, changes it, and makes an access token. */
async function settleIn(control: string, name: string, oneTimePassword: string): Promise<Person> {
  const { csrf, cookie } = await signInByApi(control, name, oneTimePassword);
  const headers = { "x-csrf-token": csrf, cookie };
  const change = { password: oneTimePassword, new_password: PASSWORD };
  await send(control, "PUT", "/api/v1/session/password", change, headers);
  const made = await send(control, "POST", "/api/v1/access-tokens", { name: "tests" }, headers);
  const { token } = (await made.json()) as { token: string };
  const api = createClient<paths>({
    baseUrl: control,
    headers: { authorization: `Bearer ${token}` },
  });
  return { name, password: PASSWORD, token, api };
}

async function signInByApi(control: string, name: string, password: string) {
  const session = await send(control, "POST", "/api/v1/session", { name, password });
  const { csrf } = (await session.json()) as { csrf: string };
  return { csrf, cookie: session.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}

async function send(
  control: string,
  method: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = await fetch(`${control}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}
