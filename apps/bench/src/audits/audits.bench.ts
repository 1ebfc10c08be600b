import { createPool, type DatabaseConnection, databaseUrl } from '@florin/database';
import { EventUnpacker } from '@florin/event-store-postgres';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Pool } from 'pg';
import type { Bench, BenchContext, BenchRow } from '../bench';
import { cpuMicroseconds } from '../cpu-time';
import { median } from '../measure';
import { undisturbed } from '../stolen-time';
import { measureStatement } from './statement';
import { writeHistory } from './write-history';

const eventCount = 1_000_000;
const pageSize = 5_000;
const cli = join(__dirname, '../../../cli/dist/main.js');

/** The commands that read the whole log, as a person runs them: their start is included. */
export const auditsBench: Bench = {
  name: 'audits',
  title: `Commands over ${eventCount.toLocaleString('en-US')} events, against reading and parsing them`,
  run: async (context) => {
    const connection = await context.createDatabase();
    const pool = createPool(connection, { max: 1 });
    try {
      context.progress('writing events …');
      const { events, largestAccount } = await writeHistory(connection, eventCount, context.progress);
      const log = { connection, pool, events };
      const rows = [
        await compare(context, 'replay', ['replay'], log),
        await compare(context, 'verify', ['verify', '--quiet'], log),
        await compare(context, 'audit', ['audit', '--quiet'], log),
        await explain(context, largestAccount, log),
      ];
      return [...rows, await measureStatement(context)];
    } finally {
      await pool.end();
    }
  },
};

interface Log {
  readonly connection: DatabaseConnection;
  readonly pool: Pool;
  readonly events: number;
}

async function compare(
  { rounds, progress }: BenchContext,
  what: string,
  command: readonly string[],
  { connection, pool, events }: Log,
): Promise<BenchRow> {
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  const speeds: number[] = [];
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    const bare = await undisturbed(() => timesOf(() => readAndParse(pool)));
    const result = await undisturbed(async () => {
      const run = await runCli(command, connection);
      if (what === 'replay') await runCli(['replay', '--drop-old'], connection);
      return run;
    });
    const after = await undisturbed(() => timesOf(() => readAndParse(pool)));
    ratios.push((bare.seconds + after.seconds) / 2 / result.seconds);
    cpuRatios.push((bare.cpuSeconds + after.cpuSeconds) / 2 / result.cpuSeconds);
    speeds.push(events / result.seconds);
    memory = Math.max(memory, result.peakMegabytes);
    progress(`${what}: ${describe(result)}; reading and parsing ${describe(bare)} and ${describe(after)}`);
  }
  return {
    what,
    figures: {
      'events/s': median(speeds),
      'ratio to reading': median(ratios),
      'ratio of CPU time': median(cpuRatios),
      'peak memory MB': memory,
    },
  };
}

async function explain({ rounds }: BenchContext, account: string, { connection, pool }: Log): Promise<BenchRow> {
  const runs: number[] = [];
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    const { seconds, peakMegabytes } = await runCli(['explain', 'balance', account], connection);
    runs.push(seconds);
    memory = Math.max(memory, peakMegabytes);
  }
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM event_store.events WHERE stream = $1',
    [`account-${account}`],
  );
  return {
    what: `explain a balance with ${rows[0]!.count.toLocaleString('en-US')} events`,
    figures: { ms: median(runs) * 1_000, 'peak memory MB': memory },
  };
}

/** What every reader of the log has to do. */
async function readAndParse(pool: Pool): Promise<void> {
  const unpacker = new EventUnpacker();
  for (let after = '0'; ;) {
    const { rows } = await pool.query<{ position: string; stream: string; packed: string }>({
      name: 'bare-page',
      text: `SELECT position, stream, revision, id, type, encode(packed, 'hex') AS packed FROM event_store.events
             WHERE position > $1 ORDER BY position LIMIT ${pageSize}`,
      values: [after],
    });
    for (const { stream, packed } of rows) {
      const { data, metadata } = unpacker.unpack(stream, packed);
      JSON.parse(data);
      JSON.parse(metadata);
    }
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.position;
  }
}

interface Times {
  readonly seconds: number;
  /** Of Node, without the database server. */
  readonly cpuSeconds: number;
}

async function timesOf(work: () => Promise<void>): Promise<Times> {
  const begin = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - begin) / 1_000, cpuSeconds: (user + system) / 1_000_000 };
}

function describe({ seconds, cpuSeconds }: Times): string {
  return `${seconds.toFixed(1)} s (CPU ${cpuSeconds.toFixed(1)} s)`;
}

interface CliRun extends Times {
  readonly peakMegabytes: number;
}

function runCli(command: readonly string[], connection: DatabaseConnection): Promise<CliRun> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl(connection) };
  const begin = performance.now();
  // As `npm run florin` does.
  const child = spawn(process.execPath, ['--max-semi-space-size=64', cli, ...command], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  let peak = 0;
  let cpu = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakMemoryOf(child.pid!));
    cpu = Math.max(cpu, cpuMicroseconds(child.pid!));
  }, 100);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      clearInterval(timer);
      if (code !== 0) return reject(new Error(`florin ${command.join(' ')} ended with ${code}:\n${errors}`));
      resolve({ seconds: (performance.now() - begin) / 1_000, cpuSeconds: cpu / 1_000_000, peakMegabytes: peak });
    });
  });
}

/** 0 after the process has ended. */
function peakMemoryOf(pid: number): number {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
