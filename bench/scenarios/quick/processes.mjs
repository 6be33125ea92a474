// Processes of a run: started on one core, watched through /proc, ended with the run.

import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const TICK_US = 10_000; // USER_HZ is 100 on every Linux that Debian ships.
const started = [];

/** Starts a command pinned to one core; `until` is what its standard output says when it is up. */
export async function start(core, command, { until, environment } = {}) {
  const child = spawn('taskset', ['-c', String(core), ...command], {
    stdio: ['ignore', until ? 'pipe' : 'ignore', 'inherit'],
    env: { ...process.env, ...environment },
  });
  started.push(child);
  const ended = new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command[0]} ended with ${code}`)));
  });
  ended.catch(() => {});
  let output = '';
  if (until) {
    const up = new Promise((resolve) => child.stdout.on('data', (data) => {
      output += data;
      if (until.test(output)) resolve();
    }));
    const late = sleep(20_000, undefined, { ref: false })
      .then(() => { throw new Error(`${command[0]} does not start`); });
    late.catch(() => {});
    await Promise.race([up, ended, late]);
  }
  return { pid: child.pid, output: () => output, stop: () => stop(child) };
}

async function stop(child) {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await Promise.race([ended, sleep(5_000)]);
  child.kill('SIGKILL');
}

/** Ends every process that was started. */
export async function stopAll() {
  await Promise.all(started.map(stop));
}

process.once('exit', () => started.forEach((child) => child.kill('SIGKILL')));

/** Runs a command on one core to its end; its standard output. */
export function run(core, command) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'inherit'];
    const child = spawn('taskset', ['-c', String(core), ...command], { stdio });
    let output = '';
    child.stdout.on('data', (data) => { output += data; });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command[0]} ended with ${code}`));
    });
  });
}

/** A process and all its descendants: nginx works in a child. */
function family(pid) {
  const parents = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => {
    try {
      return [Number(name), Number(stat(name)[1])];
    } catch {
      return [0, 0];
    }
  });
  const members = [pid];
  for (const member of members) {
    members.push(...parents.filter(([, parent]) => parent === member).map(([child]) => child));
  }
  return members;
}

/** Fields of /proc/PID/stat from the state on: the command before may hold spaces. */
function stat(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Microseconds of user and system time that a process and its children have used. */
export function cpuUs(pid) {
  const ticks = family(pid).map(stat).map((fields) => Number(fields[11]) + Number(fields[12]));
  return ticks.reduce((sum, used) => sum + used * TICK_US, 0);
}

/** Resident mebibytes of a process and its children. */
export function memoryMiB(pid) {
  const rss = (member) => {
    const status = readFileSync(`/proc/${member}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  };
  return family(pid).map(rss).reduce((sum, kib) => sum + kib / 1024, 0);
}

/** A free loopback port. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
