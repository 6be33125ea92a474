// make bench-quick: the CPU time that one authenticated, limited and recorded call costs, beside
// nginx as a plain proxy, in interleaved rounds on the same core of the same machine.
//
// Gateway or rival on core 0; wrk and the back end on core 1. These machines drift between
// minutes: the ratio of neighbouring rounds is the figure to trust, the absolutes are not.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_LIMIT, publish, signIn } from './product.mjs';
import { cpuUs, freePort, memoryMiB, run, start, stopAll } from './processes.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 100);
const KEYS = Number(process.env.BENCH_KEYS ?? 10_000);
const TARGET = process.env.CARGO_TARGET_DIR ?? join(HERE, '../../../target');
const BINARY = join(TARGET, 'release/tollgate');
const [WORK_CORE, LOAD_CORE] = [0, 1];

async function nginx(name, core, directory, ports) {
  const written = join(directory, `${name}.conf`);
  const template = readFileSync(join(HERE, `nginx-${name}.conf`), 'utf8');
  writeFileSync(written, template
    .replaceAll('@DIRECTORY@', directory)
    .replaceAll('@UPSTREAM@', ports.upstream)
    .replaceAll('@PLAIN@', ports.plain));
  const server = await start(core, ['nginx', '-p', directory, '-c', written]);
  await answers(`http://127.0.0.1:${ports[name]}/small`);
  return server;
}

async function answers(url, headers = {}) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(url, { headers }).catch(() => undefined);
    if (answer?.ok) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer`);
}

async function tollgate(directory, ports) {
  const server = await start(WORK_CORE, [BINARY, 'run', '--no-example', '--gateway-workers', '1',
    '--data', join(directory, 'data'), '--control-listen', `127.0.0.1:${ports.control}`,
    '--gateway-listen', `127.0.0.1:${ports.gateway}`], { until: /^ready$/m });
  const [, name, password] = /user (\S+), one-time password (\S+)/.exec(server.output());
  return { ...server, control: await signIn(`127.0.0.1:${ports.control}`, name, password) };
}

/** One round of wrk against one side, with the CPU time that the side used for it. */
async function measure(side, seconds) {
  const before = cpuUs(side.pid);
  const output = await run(LOAD_CORE, ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s',
    join(HERE, 'keys.lua'), side.url, '--', side.keys]);
  const result = JSON.parse(/^RESULT (.*)$/m.exec(output)[1]);
  if (result.errors > 0) {
    throw new Error(`${side.name}: ${result.errors} of ${result.requests} calls failed`);
  }
  return {
    requests: result.requests,
    rate: result.requests / (result.duration_us / 1e6),
    mean_ms: result.mean_us / 1e3,
    p99_ms: result.p99_us / 1e3,
    cpu_us: (cpuUs(side.pid) - before) / result.requests,
    memory_mib: memoryMiB(side.pid),
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const column = (rounds, name) => median(rounds.map((round) => round[name]));

function table(sides) {
  const head = ['side', 'requests/s', 'mean ms', 'p99 ms', 'memory MiB', 'CPU us/request'];
  const rows = sides.map(({ name, rounds }) => [name, column(rounds, 'rate').toFixed(0),
    column(rounds, 'mean_ms').toFixed(2), column(rounds, 'p99_ms').toFixed(2),
    column(rounds, 'memory_mib').toFixed(1), column(rounds, 'cpu_us').toFixed(2)]);
  console.log();
  for (const row of [head, ...rows]) console.log(row.map((cell) => cell.padEnd(15)).join(''));
  for (const { name, rounds } of sides) {
    console.log(`${name}, each round: ${rounds.map((it) => it.cpu_us.toFixed(2)).join(' ')}`);
  }
}

/** Three ways to count must agree: wrk's, the records', the counters'. wrk does not count the calls
 * that are under way when it stops: at most one a connection in each of its runs. */
async function agree(control, version, probe, counted, runs) {
  const answer = await answers(probe.url, { apikey: probe.key });
  const [, left] = /r=(\d+)/.exec(answer.headers.get('ratelimit'));
  const charged = API_LIMIT - Number(left);
  const usage = await control('GET', `/usage?version=${version}&group_by=version`);
  const recorded = usage.rows.reduce((sum, row) => sum + row.calls, 0);
  const under_way = runs * CONNECTIONS;
  console.log(`\ncounted by wrk ${counted} (and up to ${under_way} under way when it stopped), `
    + `recorded ${recorded}, charged ${charged}`);
  if (recorded !== charged || recorded < counted || recorded > counted + under_way + 10) {
    throw new Error('the counts do not agree');
  }
}

async function main() {
  if (availableParallelism() < 2) {
    throw new Error('two cores are needed: one for the gateway, one for the load');
  }
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  try {
    const ports = {
      upstream: await freePort(),
      plain: await freePort(),
      control: await freePort(),
      gateway: await freePort(),
    };
    mkdirSync(join(directory, 'logs'));
    await nginx('upstream', LOAD_CORE, directory, ports);
    const plain = await nginx('plain', WORK_CORE, directory, ports);
    const ours = await tollgate(directory, ports);
    const upstream = `http://127.0.0.1:${ports.upstream}`;
    const { version, keys } = await publish(ours.control, upstream, KEYS);
    const file = join(directory, 'keys');
    writeFileSync(file, `${keys.join('\n')}\n`);
    const url = `http://127.0.0.1:${ports.gateway}/bench/1.0/small`;
    await answers(url, { apikey: keys[0] });
    const sides = [
      { name: 'tollgate', pid: ours.pid, url, keys: file, rounds: [] },
      {
        name: 'nginx plain',
        pid: plain.pid,
        url: `http://127.0.0.1:${ports.plain}/small`,
        keys: file,
        rounds: [],
      },
    ];
    let [counted, runs] = [1, 0];
    for (let round = -1; round < ROUNDS; round++) {
      for (const side of sides) {
        const result = await measure(side, round < 0 ? 2 : SECONDS);
        if (round >= 0) side.rounds.push(result);
        if (side.pid === ours.pid) [counted, runs] = [counted + result.requests, runs + 1];
      }
    }
    table(sides);
    await agree(ours.control, version, { url, key: keys[0] }, counted, runs);
    const [mine, rival] = sides.map((side) => side.rounds);
    const ratio = median(mine.map((round, index) => round.cpu_us / rival[index].cpu_us));
    console.log(`cpu_ratio_nginx_plain=${ratio.toFixed(3)}`);
    console.log(`cpu_us_per_request=${column(mine, 'cpu_us').toFixed(2)}`);
    console.log(`requests_per_second=${column(mine, 'rate').toFixed(0)}`);
  } finally {
    await stopAll();
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();
