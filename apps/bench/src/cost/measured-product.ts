import { createPool, databaseUrl } from '@florin/database';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { BenchContext } from '../bench';
import { type ProductProcess, startProduct } from '../http/server-process';
import { cpuMicroseconds, type ThreadTimes, threadTimes } from '../cpu-time';
import { type TableWork, walPosition, workSince } from './database-work';

/** What the product has done from the start of a load until it was idle. */
export interface Work {
  readonly threads: ThreadTimes;
  readonly postgresMicroseconds: number;
  readonly allocatedBytes: number;
  readonly tables: readonly TableWork[];
}

export function totalMicroseconds({ threads, postgresMicroseconds }: Work): number {
  return threads.main + threads.second + threads.others + postgresMicroseconds;
}

const pollIntervalMs = 200;
const idleTimeoutMs = 120_000;
/** The schemas hold read models and checkpoints of every projection. */
const isIdle = `
  SELECT NOT EXISTS (SELECT FROM read_models.operations WHERE status IN ('queued', 'processing'))
    AND NOT EXISTS (
      SELECT FROM event_store.subscription_shards
      WHERE position < (SELECT max(position) FROM event_store.events) AND subscription NOT LIKE 'checkpoint-sink-%'
    ) AS idle`;

/** The process waits for the locks on its checkpoints. Read models continue, because requests need that of keys. */
const pauseOperations = `
  SELECT FROM event_store.subscription_shards WHERE subscription = 'process operations' FOR UPDATE`;

/** CPU time while requests are accepted. */
export interface Accepting {
  readonly mainThreadMicroseconds: number;
  /** Of Node and Postgres, with the read models that show the new operations. */
  readonly allMicroseconds: number;
}

/** The product as one process on the Postgres server of the benchmarks, whose work can be measured. */
export class MeasuredProduct {
  static async start(context: BenchContext): Promise<MeasuredProduct> {
    const connection = await context.createDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'florin-bench-'));
    const allocations = join(folder, 'allocations');
    const env = {
      DATABASE_URL: databaseUrl(connection),
      VAULT_KEY: randomBytes(32).toString('base64'),
      BENCH_ALLOCATIONS: allocations,
    };
    const preload = join(__dirname, 'allocations.preload.js');
    const product = await startProduct({ ...env, NODE_OPTIONS: `--require ${preload}` });
    return new MeasuredProduct(product, createPool(connection, { max: 1 }), folder, allocations);
  }

  private constructor(
    readonly process: ProductProcess,
    private readonly pool: Pool,
    private readonly folder: string,
    private readonly allocations: string,
  ) {}

  async measure(load: () => Promise<void>): Promise<Work> {
    const { pid } = this.process;
    const start = await walPosition(this.pool);
    const postgres = await this.postgresPid();
    const [threads, database] = [threadTimes(pid), cpuMicroseconds(postgres)];
    process.kill(pid, 'SIGUSR2');
    await load();
    await this.waitUntilIdle();
    const after = threadTimes(pid);
    const postgresMicroseconds = cpuMicroseconds(postgres) - database;
    return {
      threads: {
        main: after.main - threads.main,
        second: after.second - threads.second,
        others: after.others - threads.others,
      },
      postgresMicroseconds,
      allocatedBytes: await this.allocatedBytes(),
      tables: await workSince(this.pool, start),
    };
  }

  /** The operations are executed after the load. */
  async measureAccepting(load: () => Promise<void>): Promise<Accepting> {
    const { pid } = this.process;
    const postgres = await this.postgresPid();
    const pause = await this.pool.connect();
    try {
      await pause.query('BEGIN');
      await pause.query(pauseOperations);
      const [main, all] = [threadTimes(pid).main, cpuMicroseconds(pid) + cpuMicroseconds(postgres)];
      await load();
      return {
        mainThreadMicroseconds: threadTimes(pid).main - main,
        allMicroseconds: cpuMicroseconds(pid) + cpuMicroseconds(postgres) - all,
      };
    } finally {
      await pause.query('ROLLBACK');
      pause.release();
      await this.waitUntilIdle();
    }
  }

  async waitUntilIdle(): Promise<void> {
    const deadline = Date.now() + idleTimeoutMs;
    for (;;) {
      const { rows } = await this.pool.query<{ idle: boolean }>(isIdle);
      if (rows[0]!.idle) return;
      if (Date.now() > deadline) throw new Error(`The product was not idle within ${idleTimeoutMs / 1_000} s`);
      await delay(pollIntervalMs);
    }
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await this.pool.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Every thread writes a line. */
  private async allocatedBytes(): Promise<number> {
    const deadline = Date.now() + idleTimeoutMs;
    process.kill(this.process.pid, 'SIGUSR2');
    for (;;) {
      const lines = this.allocationLines();
      if (lines.length >= 2) {
        rmSync(this.allocations);
        return lines.reduce((sum, line) => sum + Number(line), 0);
      }
      if (Date.now() > deadline) throw new Error('The product did not report what it has allocated');
      await delay(pollIntervalMs);
    }
  }

  private allocationLines(): string[] {
    try {
      return readFileSync(this.allocations, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  }

  /** The parent of all its sessions. */
  private async postgresPid(): Promise<number> {
    const { rows } = await this.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const status = readFileSync(`/proc/${rows[0]!.pid}/status`, 'utf8');
    return Number(/^PPid:\s+(\d+)$/m.exec(status)![1]);
  }
}
