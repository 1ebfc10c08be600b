import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import {
  ArchiveUnavailable,
  beforeFirst,
  type ClosedStreams,
  type EventToAppend,
  LogPublicKeys,
  LogSigningKey,
  noStream,
  type RecordedEvent,
  RevisionConflict,
} from '@florin/event-sourcing';
import { allEvents, Follower, newEvent, wholeStream } from '@florin/event-sourcing/testing';
import fc from 'fast-check';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { Pool } from 'pg';
import { PostgresEventStore } from '../postgres-event-store.adapter';
import { archiveClosedStreams, type ArchiveRun, type ArchiveRunOptions } from './archive-closed-streams';
import { checkArchive } from './check-archive';

const oldTime = '2030-01-01T00:00:00.000Z';
const newTime = '2031-01-01T00:00:00.000Z';
const before = new Date('2030-06-01T00:00:00.000Z');
const noKeys = new LogPublicKeys([]);

/** Streams of the category `job` are closed after the event `Ended`, unless a later one opens them again. */
const jobs: ClosedStreams = {
  category: 'job',
  closingEvents: ['Ended'],
  isClosed: (_, events) =>
    events.map(({ type }) => type).lastIndexOf('Ended') > events.map(({ type }) => type).lastIndexOf('Opened'),
};

function event(type: string, recordedAt = oldTime): EventToAppend {
  const metadata = JSON.stringify({ recordedAt });
  return newEvent({ type, metadata, data: `{"text":"ünïcode \\u0000 ${'x'.repeat(20)}"}` });
}

jest.setTimeout(60_000);

describe('The archive', () => {
  let database: TestDatabase;
  let pool: Pool;
  let directory: string;
  let store: PostgresEventStore;
  const stores: PostgresEventStore[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = new Pool({ ...database.connection, max: 4 });
    directory = mkdtempSync(join(tmpdir(), 'florin-archive-'));
    store = open();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((each) => each.close()));
    await pool.end();
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  function open(archiveDirectory: string | undefined = directory): PostgresEventStore {
    const opened = new PostgresEventStore(database.connection, { pageSize: 7, archiveDirectory });
    stores.push(opened);
    return opened;
  }

  async function append(stream: string, types: readonly string[], recordedAt?: string): Promise<void> {
    const revision = (await wholeStream(store, stream)).at(-1)?.revision ?? noStream;
    await store.append(
      stream,
      revision,
      types.map((type) => event(type, recordedAt)),
    );
  }

  function run(options: Partial<ArchiveRunOptions> = {}): Promise<ArchiveRun> {
    const signal = new AbortController().signal;
    const defaults = { pool, store, directory, rules: [jobs], before, signal, report: () => undefined, pauseMs: 0 };
    return archiveClosedStreams({ ...defaults, ...options });
  }

  async function liveEvents(stream?: string): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(
      'SELECT count(*)::integer FROM event_store.events WHERE $1::text IS NULL OR stream = $1',
      [stream ?? null],
    );
    return rows[0]!.count;
  }

  /** Three closed jobs between events of other streams. */
  async function writeSample(): Promise<void> {
    for (const number of [1, 2, 3]) {
      await append(`job-${number}`, ['Opened', 'Worked']);
      await append('account-a', ['Reserved']);
      await append(`job-${number}`, ['Ended']);
    }
    await append('job-open', ['Opened']);
  }

  async function everything(from: PostgresEventStore): Promise<unknown> {
    const streams = ['job-1', 'job-2', 'job-3', 'job-open', 'account-a'];
    return {
      head: await from.head(),
      all: await allEvents(from, { after: beforeFirst }),
      jobs: await allEvents(from, { after: beforeFirst, categories: ['job'] }),
      accounts: await allEvents(from, { after: 2n, categories: ['account'], pageSize: 2 }),
      streams: await Promise.all(streams.map((stream) => wholeStream(from, stream))),
    };
  }

  it('moves closed streams to a file, and every read returns the same as before', async () => {
    await writeSample();
    const original = await everything(store);
    const { events, streams, files, archiveBytes } = await run();
    expect({ events, streams, files }).toEqual({ events: 9, streams: 3, files: 1 });
    expect(archiveBytes).toBeGreaterThan(0);
    expect(await liveEvents()).toBe(4);
    expect(await everything(store)).toEqual(original);
    expect(await everything(open())).toEqual(original);
    expect(await checkArchive(pool, directory, noKeys)).toEqual({ files: 1, events: 9, problems: [] });
  });

  it('delivers archived events to a new subscription, and then new ones', async () => {
    await writeSample();
    const original = await allEvents(store, { after: beforeFirst });
    await run();
    const reader = open();
    const all = new Follower(reader, { after: beforeFirst, pageSize: 3 });
    const ofJobs = new Follower(reader, { after: beforeFirst, categories: ['job'] });
    expect(await all.untilEvents(original.length)).toEqual(original);
    await append('job-open', ['Worked']);
    const seen = await all.untilEvents(original.length + 1);
    expect(seen.at(-1)).toMatchObject({ stream: 'job-open', revision: 1 });
    expect(await ofJobs.untilEvents(11)).toEqual(seen.filter(({ stream }) => stream.startsWith('job-')));
    await Promise.all([all.stop(), ofJobs.stop()]);
  });

  it('shows every event exactly once to readers that run at the same time', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `job-${index}`);
    for (const name of names) await append(name, ['Opened', 'Ended']);
    await append('account-a', ['Reserved']);
    const original = await allEvents(store, { after: beforeFirst });
    let isOver = false;
    const archiving = run({ eventsPerFile: 4 }).finally(() => (isOver = true));
    const reader = open();
    do {
      const streams = await Promise.all(names.map((name) => wholeStream(reader, name)));
      expect(streams.map(({ length }) => length)).toEqual(names.map(() => 2));
      expect(await allEvents(reader, { after: beforeFirst })).toEqual(original);
      expect(await allEvents(reader, { after: beforeFirst, categories: ['job'] })).toHaveLength(80);
    } while (!isOver);
    expect(await archiving).toMatchObject({ events: 80, files: 20 });
  });

  it('can be read with common tools', async () => {
    await writeSample();
    await run();
    const [name] = readdirSync(directory);
    const lines = execFileSync('sh', ['-c', `tail -n +2 "${join(directory, name!)}" | zcat`], { encoding: 'utf8' });
    const positions = lines
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as number[])[0]);
    expect(positions).toEqual([1, 2, 4, 5, 6, 8, 9, 10, 12]);
  });

  it('reads the same as before for random logs, archived several times at random points', async () => {
    const streamName = fc.constantFrom('job-a', 'job-b', 'job-c', 'account-a', 'other');
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ stream: streamName, type: fc.constantFrom('Opened', 'Worked', 'Ended', 'Ended') }),
      },
      { weight: 1, arbitrary: fc.constant('archive' as const) },
    );
    const flows = fc.array(step, { minLength: 5, maxLength: 40 });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        flows,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 6 }),
        async (steps, pageSize, perFile) => {
          const suffix = `${++count}`;
          const start = await store.head();
          const written: (EventToAppend & { readonly stream: string; readonly revision: number })[] = [];
          for (const each of steps) {
            if (each === 'archive') {
              await run({ eventsPerFile: perFile });
              continue;
            }
            const stream = `${each.stream}${suffix}`;
            const revision = written.filter((one) => one.stream === stream).length - 1;
            const added = event(each.type);
            await store.append(stream, revision, [added]);
            written.push({ ...added, stream, revision: revision + 1 });
          }
          await run({ eventsPerFile: perFile });
          const strip = ({ position: _, ...rest }: RecordedEvent) => rest;
          const reader = open();
          const all = await allEvents(reader, { after: start, pageSize });
          expect(all.map(strip)).toEqual(written);
          expect(all.map(({ position }) => position)).toEqual(all.map((_, index) => start + BigInt(index) + 1n));
          const ofJobs = await allEvents(reader, { after: start, pageSize, categories: [`job`] });
          expect(ofJobs).toEqual(all.filter(({ stream }) => stream.startsWith('job-')));
          for (const stream of new Set(written.map((one) => one.stream))) {
            const expected = all.filter((one) => one.stream === stream);
            for (const from of [0, 1, expected.length]) {
              expect(await wholeStream(reader, stream, from)).toEqual(expected.slice(from));
            }
          }
          await stores.splice(stores.indexOf(reader), 1)[0]!.close();
        },
      ),
      { numRuns: 8 },
    );
    expect((await checkArchive(pool, directory, noKeys)).problems).toEqual([]);
  });

  describe('after a crash', () => {
    const steps = ['written', 'recorded', 'deleted', 'finished'] as const;
    it.each(steps)('behind the step "%s" loses nothing, and the next run continues', async (crashAt) => {
      await writeSample();
      const original = await everything(store);
      const crash = run({
        eventsPerFile: 6,
        report: ({ step }) => {
          if (step === crashAt) throw new Error('crash');
        },
      });
      await expect(crash).rejects.toThrow('crash');
      expect(await everything(store)).toEqual(original);
      const { unrecorded } = await run();
      expect(await everything(store)).toEqual(original);
      expect(await liveEvents()).toBe(4);
      expect(unrecorded).toHaveLength(crashAt === 'written' ? 1 : 0);
      expect((await checkArchive(pool, directory, noKeys)).problems).toEqual([]);
    });

    it('in the middle of a file leaves a partial file that no reader uses', async () => {
      await writeSample();
      const original = await everything(store);
      writeFileSync(join(directory, `archive-000001-${'a'.repeat(16)}.jsonl.gz.partial`), '{"format":');
      const { unrecorded } = await run();
      expect(unrecorded).toHaveLength(1);
      expect(await everything(store)).toEqual(original);
    });

    it('keeps the events in the database when the recorded file is damaged before they are deleted', async () => {
      await writeSample();
      const crash = run({
        report: ({ step }) => {
          if (step === 'recorded') throw new Error('crash');
        },
      });
      await expect(crash).rejects.toThrow('crash');
      const [name] = readdirSync(directory);
      const content = readFileSync(join(directory, name!));
      content[content.length - 20]! ^= 1;
      writeFileSync(join(directory, name!), content);
      await expect(run()).rejects.toThrow('Its events have not been deleted');
      expect(await liveEvents()).toBe(13);
    });
  });

  describe('refuses', () => {
    it('to archive an event that a subscription has not processed', async () => {
      await writeSample();
      await pool.query(
        `INSERT INTO event_store.subscriptions (name, shard_count) VALUES ('slow', 1), ('checkpoint-sink-1', 1)`,
      );
      await pool.query(
        `INSERT INTO event_store.subscription_shards (subscription, shard, position) VALUES ('slow', 0, 5), ('checkpoint-sink-1', 0, 1)`,
      );
      const { events, limit, slowestSubscription } = await run();
      expect({ events, limit, slowestSubscription }).toEqual({ events: 3, limit: 5n, slowestSubscription: 'slow' });
      expect(await liveEvents('job-2')).toBe(3);
    });

    it('to archive an event after the newest signed checkpoint', async () => {
      await writeSample();
      await pool.query(
        `INSERT INTO event_store.log_checkpoints VALUES (1, 4, 4, '', '', now(), 'postgres', '', '', '')`,
      );
      expect(await run()).toMatchObject({ events: 3, limit: 4n });
    });

    it('to archive the newest event, from which the next position is computed', async () => {
      await append('job-1', ['Opened', 'Ended']);
      expect(await run()).toMatchObject({ events: 0, limit: 1n });
      await append('account-a', ['Reserved']);
      expect(await run()).toMatchObject({ events: 2 });
      await append('account-a', ['Reserved']);
      expect((await allEvents(store, { after: beforeFirst })).map(({ position }) => position)).toEqual([
        1n,
        2n,
        3n,
        4n,
      ]);
    });

    it('to archive streams that are new, or not closed', async () => {
      await append('job-open', ['Opened', 'Ended', 'Opened']);
      await append('job-new', ['Opened', 'Ended'], newTime);
      await append('account-a', ['Ended']);
      await append('account-a', ['Reserved']);
      expect(await run()).toMatchObject({ events: 0 });
    });

    it('to archive a stream with damaged bytes, which stay where they are', async () => {
      await writeSample();
      await pool.query('ALTER TABLE event_store.events DISABLE TRIGGER ALL');
      const damage = String.raw`UPDATE event_store.events SET packed = '\x01ff'`;
      await pool.query(`${damage} WHERE stream = 'job-2' AND revision = 0`);
      await pool.query('ALTER TABLE event_store.events ENABLE TRIGGER ALL');
      expect(await run()).toMatchObject({ events: 6, streams: 2 });
      expect(await liveEvents('job-2')).toBe(3);
    });

    it('to delete an event that no recorded file has', async () => {
      await writeSample();
      await run();
      const statements = [
        'DELETE FROM event_store.events',
        `DELETE FROM event_store.events WHERE stream = 'account-a'`,
      ];
      for (const statement of [
        ...statements,
        'DELETE FROM event_store.archived_streams',
        'TRUNCATE event_store.archive_files',
      ]) {
        await expect(pool.query(statement)).rejects.toThrow('never changed or deleted');
      }
      await pool.query(`SELECT event_store.delete_archived(1, '{account-a}')`);
      expect(await liveEvents()).toBe(4);
    });

    it('a second run at the same time', async () => {
      await writeSample();
      const other = new Pool({ ...database.connection, max: 1 });
      await other.query('SELECT pg_advisory_lock(7017280452245743465)');
      await expect(run()).rejects.toThrow('Another archive run is in progress');
      await other.end();
    });

    it('to write next to a folder that does not have the earlier files', async () => {
      await writeSample();
      await run();
      await append('job-4', ['Ended']);
      await append('account-a', ['Reserved']);
      await expect(run({ directory: join(directory, 'elsewhere') })).rejects.toThrow(/it is missing.*Set ARCHIVE_DIR/);
    });
  });

  it('leaves out a stream that is continued while the file is written', async () => {
    await writeSample();
    let continued: Promise<void> | undefined;
    const { events } = await run({
      report: ({ step }) => {
        if (step === 'written') continued ??= append('job-2', ['Opened']);
      },
    }).finally(() => continued);
    const inFile = events === 6;
    // The append wins or loses the race for the lock; both are correct.
    expect([6, 9]).toContain(events);
    expect(await liveEvents('job-2')).toBe(inFile ? 4 : 1);
    expect((await wholeStream(open(), 'job-2')).map(({ type }) => type)).toEqual([
      'Opened',
      'Worked',
      'Ended',
      'Opened',
    ]);
  });

  it('changes nothing in a dry run', async () => {
    await writeSample();
    expect(await run({ dryRun: true })).toMatchObject({ events: 9, streams: 3, files: 0 });
    expect(await liveEvents()).toBe(13);
    expect(readdirSync(directory)).toEqual([]);
  });

  describe('an append to an archived stream', () => {
    beforeEach(async () => {
      await writeSample();
    });

    it('is a conflict for a client that takes it for a new stream', async () => {
      await run();
      for (const client of [store, open(), open(undefined)]) {
        await expect(client.append('job-1', noStream, [event('Opened')])).rejects.toThrow(RevisionConflict);
      }
      expect(await liveEvents('job-1')).toBe(0);
    });

    it('is a conflict for a client with an older state, and other appends of its batch are stored', async () => {
      await run();
      const other = open();
      const outcomes = await Promise.allSettled([
        other.append('job-1', 1, [event('Ended')]),
        other.append('job-4', noStream, [event('Opened')]),
        other.append('job-2', 0, [event('Worked')]),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
      expect(await wholeStream(store, 'job-4')).toHaveLength(1);
    });

    it('continues after its last revision, and the stream can be archived again', async () => {
      await run();
      await open().append('job-1', 2, [event('Opened'), event('Ended')]);
      await expect(open().append('job-1', 2, [event('Opened')])).rejects.toThrow(RevisionConflict);
      const whole = await wholeStream(store, 'job-1');
      expect(whole.map(({ type }) => type)).toEqual(['Opened', 'Worked', 'Ended', 'Opened', 'Ended']);
      await append('account-a', ['Reserved']);
      expect(await run()).toMatchObject({ events: 2, streams: 1 });
      expect(await wholeStream(open(), 'job-1')).toEqual(whole);
      expect(await wholeStream(open(), 'job-1', 3)).toEqual(whole.slice(3));
      expect(await liveEvents('job-1')).toBe(0);
      await expect(open().append('job-1', 3, [event('Opened')])).rejects.toThrow(RevisionConflict);
    });

    it('is a conflict when it leaves a gap', async () => {
      await run();
      await expect(open().append('job-1', 7, [event('Opened')])).rejects.toThrow(RevisionConflict);
    });
  });

  describe('a file', () => {
    const key = LogSigningKey.generate();
    const keys = new LogPublicKeys([key.publicKey]);
    const problems = async (): Promise<string> => (await checkArchive(pool, directory, keys)).problems.join('\n');
    let names: readonly string[];

    beforeEach(async () => {
      await writeSample();
      await run({ eventsPerFile: 3, key });
      names = readdirSync(directory).sort();
      expect(names).toHaveLength(3);
    });

    const change = (name: string, edit: (content: Buffer) => Buffer): void => {
      writeFileSync(join(directory, name), edit(readFileSync(join(directory, name))));
    };

    it('is signed and linked to the file before it', async () => {
      expect(await problems()).toBe('');
      const headers = names.map((name) => readFileSync(join(directory, name), 'utf8').split('\n')[0]!);
      const parsed = headers.map(
        (line) => JSON.parse(line) as { previous: string; publicKey: string; signature: string },
      );
      expect(parsed.map(({ previous }) => previous !== '')).toEqual([false, true, true]);
      const { signature, ...unsigned } = parsed[2]!;
      expect(key.publicKey.verifiesText('florin archive file v1', JSON.stringify(unsigned), signature)).toBe(true);
    });

    it('is named when it is missing, and no read pretends that its events do not exist', async () => {
      renameSync(join(directory, names[1]!), join(directory, 'hidden'));
      expect(await problems()).toMatch(new RegExp(`${names[1]}.*3 events.*missing`));
      const reader = open();
      await expect(wholeStream(reader, 'job-2')).rejects.toThrow(ArchiveUnavailable);
      await expect(allEvents(reader, { after: beforeFirst })).rejects.toThrow(names[1]);
      await expect(allEvents(reader, { after: beforeFirst, categories: ['job'] })).rejects.toThrow(names[1]);
      expect(await wholeStream(reader, 'job-1')).toHaveLength(3);
      expect(await wholeStream(reader, 'account-a')).toHaveLength(3);
    });

    it('is named when its content, its header or its end was changed', async () => {
      change(names[0]!, (content) => (content.writeUInt8(content.at(-9)! ^ 1, content.length - 9), content));
      change(names[1]!, (content) =>
        Buffer.from(content.toString('latin1').replace('"events":3', '"events":2'), 'latin1'),
      );
      change(names[2]!, (content) => content.subarray(0, content.length - 4));
      const found = await problems();
      expect(found).toContain(`${names[0]} with 3 events from position 1 to 4 cannot be used: its content was changed`);
      expect(found).toMatch(new RegExp(`${names[1]}.*its header was changed`));
      expect(found).toMatch(new RegExp(`${names[2]}.*its content was changed`));
      for (const stream of ['job-1', 'job-2', 'job-3']) {
        await expect(wholeStream(open(), stream)).rejects.toThrow('was changed');
      }
    });

    it('is named when it was swapped with another one', async () => {
      const [first, second] = [join(directory, names[0]!), join(directory, names[1]!)];
      cpSync(first, join(directory, 'kept'));
      renameSync(second, first);
      renameSync(join(directory, 'kept'), second);
      expect(await problems()).toMatch(
        new RegExp(`${names[0]}.*header was changed[^]*${names[1]}.*header was changed`),
      );
    });

    it('is named when the recorded order was changed', async () => {
      for (const [from, to] of [
        [2, 9],
        [3, 2],
        [9, 3],
      ]) {
        await pool.query('UPDATE event_store.archive_files SET number = $2 WHERE number = $1', [from, to]);
      }
      expect(await problems()).toMatch(/does not follow file/);
    });
  });

  it('fails with the name of the variable in a service without the folder', async () => {
    await writeSample();
    await run();
    const blind = new PostgresEventStore(database.connection);
    stores.push(blind);
    await expect(wholeStream(blind, 'job-1')).rejects.toThrow('Set ARCHIVE_DIR');
    await expect(allEvents(blind, { after: beforeFirst })).rejects.toThrow('Set ARCHIVE_DIR');
    expect(await wholeStream(blind, 'job-open')).toHaveLength(1);
    expect(await allEvents(blind, { after: 12n })).toHaveLength(1);
  });
});
