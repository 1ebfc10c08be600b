import { createPool, type DatabaseConnection } from '@florin/database';
import type { Position } from '@florin/event-sourcing';
import type { Pool } from 'pg';
import type { ReadModel } from '../all-projections';
import { pagesUpTo, ReadModelBuild } from './read-model-build';
import { divide, type PartProgress, type ReplayPart } from './replay-parts';
import type { ReplayProgress, ReplayRuntime } from './replay-runtime';
import { ReplayTables } from './replay-tables';

/** Read models that are written at the same time. */
const concurrency = 3;
const reportEveryMs = 1_000;

export async function withPool<Result>(
  connection: DatabaseConnection,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = createPool(connection, { max: concurrency, applicationName: 'florin-replay' });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Rebuilds a part of a replay, in another thread. */
export function replayPart(
  chosen: readonly ReadModel[],
  { readModels, schema, run, end }: ReplayPart,
  { connection, store, signal }: Pick<ReplayRuntime, 'connection' | 'store' | 'signal'>,
  report: (progress: readonly PartProgress[]) => void,
): Promise<void> {
  return withPool(connection, async (pool) => {
    const own = chosen.filter(({ projection }) => readModels.includes(projection.name));
    const tables = new ReplayTables(pool, schema, run);
    const builds = await Promise.all(own.map((readModel) => ReadModelBuild.resume(readModel, tables)));
    const send = (): void =>
      report(builds.map(({ name, position, events, seconds }) => ({ name, position, events, seconds })));
    await advanceTo(end, builds, { store, ...(signal && { signal }), report: send });
    send();
  });
}

/** The workers and this thread rebuild a part each. What a worker has not committed is left to this thread. */
export async function advanceTogether(
  end: Position,
  builds: readonly ReadModelBuild[],
  tables: ReplayTables,
  runtime: ReplayRuntime,
): Promise<void> {
  const { workers = [], store, signal, report: reportAll } = runtime;
  const [own = [], ...others] = divide(builds, workers.length + 1);
  if (others.length === 0) return;
  const measure = progressOf(end, builds);
  const timer = setInterval(() => reportAll?.(measure()), reportEveryMs);
  const stop = new AbortController();
  const signals = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const working = others.map(async (part, index) => {
    const { schema, run } = tables;
    const names = part.map(({ name }) => name);
    const report = (progress: readonly PartProgress[]): void => follow(part, progress);
    await workers[index]!({ readModels: names, schema, run, end }, report, signals);
  });
  // A worker that fails has left the rest of its part.
  const ended = Promise.allSettled(working);
  try {
    await advanceTo(end, own, { store, ...(signal && { signal }) });
  } catch (error) {
    stop.abort();
    throw error;
  } finally {
    await ended;
    clearInterval(timer);
  }
  for (const build of others.flat()) await build.resume();
}

function follow(part: readonly ReadModelBuild[], progress: readonly PartProgress[]): void {
  for (const one of progress) part.find(({ name }) => name === one.name)?.follow(one);
}

/** Until the builds are so close to the head that the rest fits into the transaction that switches. */
export async function advanceAll(builds: readonly ReadModelBuild[], runtime: ReplayRuntime): Promise<void> {
  for (let startedAt = 0; Date.now() - startedAt > reportEveryMs;) {
    startedAt = Date.now();
    await advanceTo(await runtime.store.head(), builds, runtime);
  }
}

export async function advanceTo(
  end: Position,
  builds: readonly ReadModelBuild[],
  { store, signal, report }: Pick<ReplayRuntime, 'store' | 'signal' | 'report'>,
): Promise<void> {
  const measure = progressOf(end, builds);
  const timer = setInterval(() => report?.(measure()), reportEveryMs);
  const begin = builds.reduce((first, { position }) => (position < first ? position : first), end);
  const categories = [...new Set(builds.flatMap(({ readModel }) => readModel.projection.categories))];
  try {
    signal?.throwIfAborted();
    for await (const { events, readTo } of pagesUpTo(end, store, begin, categories)) {
      signal?.throwIfAborted();
      const results = await Promise.allSettled(builds.map((build) => build.advanceTo(readTo, events, readTo === end)));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    }
  } finally {
    clearInterval(timer);
  }
}

/** Positions measure what is left: how many events a read model needs is known only at the end. */
export function progressOf(end: Position, builds: readonly ReadModelBuild[]): () => ReplayProgress {
  const startedAt = Date.now();
  const total = Number(end) * builds.length;
  const read = (): number => builds.reduce((sum, { position }) => sum + Number(position), 0);
  const eventsOf = (): number => builds.reduce((sum, build) => sum + build.events, 0);
  const [readBefore, eventsBefore] = [read(), eventsOf()];
  return () => {
    const seconds = (Date.now() - startedAt) / 1_000;
    const perSecond = (read() - readBefore) / seconds;
    return {
      events: eventsOf(),
      eventsPerSecond: (eventsOf() - eventsBefore) / seconds,
      completed: total === 0 ? 1 : Math.min(1, read() / total),
      ...(perSecond > 0 && { secondsLeft: Math.max(0, total - read()) / perSecond }),
    };
  };
}
