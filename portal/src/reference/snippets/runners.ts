// Runs the code of a call with the interpreters of this machine. Only tests use this file.

import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Language } from "./chosen_language";

const run = promisify(execFile);

/** The environment of the code: a path, a home without settings, and credentials. */
export const ENVIRONMENT = {
  PATH: process.env["PATH"],
  HOME: mkdtempSync(join(tmpdir(), "home-")),
  GOCACHE: process.env["GOCACHE"] ?? join(process.env["HOME"] ?? tmpdir(), ".cache/go-build"),
  LANG: "C.UTF-8",
  KEY: "k e'y",
  USER_NAME: "rex",
  PASSWORD: "p:w",
};

/** How to run a language: the file that the code is written to, and the command. */
interface Runner {
  file: string;
  command: string | undefined;
  arguments: readonly string[];
  /** Wraps the code, if the language requires it. */
  wrap?: (code: string) => string;
}

const runners: Record<Language, Runner> = {
  curl: { file: "call.sh", command: command("sh"), arguments: [] },
  javascript: { file: "call.mjs", command: process.execPath, arguments: [] },
  python: { file: "call.py", command: pythonWithRequests(), arguments: [] },
  java: {
    file: "Call.java",
    command: command("java"),
    arguments: ["-Dfile.encoding=UTF-8"],
    wrap: inClass,
  },
  // No Debian package has a current C# compiler.
  csharp: { file: "call.csx", command: undefined, arguments: [] },
  go: { file: "call.go", command: command("go"), arguments: ["run"] },
  php: { file: "call.php", command: phpWithCurl(), arguments: [] },
};

/** Languages that `make deps` installs; the others run if they are found. */
export const INSTALLED: readonly Language[] = ["curl", "javascript", "python", "java", "go"];

/** Languages in which the beginning of a value can be special. */
export const LIBCURL: readonly Language[] = ["curl", "php"];

export const canRun = (language: Language) => runners[language].command !== undefined;

/** Runs the code in a new folder with these files; returns its output. */
export async function runCode(
  language: Language,
  code: string,
  files: readonly File[] = [],
): Promise<string> {
  const { file, command, arguments: before, wrap } = runners[language];
  if (command === undefined) throw new Error(`${language} is not installed`);
  const folder = mkdtempSync(join(tmpdir(), "call-"));
  for (const it of files) writeFileSync(join(folder, it.name), Buffer.from(await it.arrayBuffer()));
  writeFileSync(join(folder, file), wrap ? wrap(code) : code);
  const options = { cwd: folder, env: ENVIRONMENT, timeout: 60_000 };
  return (await run(command, [...before, file], options)).stdout;
}

function command(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

function succeeds(file: string, args: readonly string[]): boolean {
  try {
    execFileSync(file, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The SOAP peer `zeep`, which `make deps` builds, brings `requests` along. */
function pythonWithRequests(): string | undefined {
  const peers = resolve(import.meta.dirname, "../../../../crates/tollgate/tests/peers/.installed");
  const pythons = [join(peers, "zeep/bin/python"), join(peers, "oauth2-python/bin/python")];
  const system = command("python3");
  return [...pythons, ...(system ? [system] : [])].find(
    (it) => existsSync(it) && succeeds(it, ["-c", "import requests"]),
  );
}

function phpWithCurl(): string | undefined {
  const php = command("php");
  return php && succeeds(php, ["-r", "exit(function_exists('curl_init') ? 0 : 1);"])
    ? php
    : undefined;
}

/** Wraps Java code in a class: the samples are for `jshell`, which takes seconds to start. */
function inClass(code: string): string {
  const lines = code.split("\n");
  const isImport = (line: string) => line.startsWith("import ");
  return [
    ...lines.filter(isImport),
    "class Call { public static void main(String[] none) throws Exception {",
    ...lines.filter((line) => !isImport(line)),
    "} }",
  ].join("\n");
}
