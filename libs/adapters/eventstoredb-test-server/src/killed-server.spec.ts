import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EventStoreDBClient, jsonEvent, NO_STREAM, StreamNotFoundError } from '@eventstore/db-client';

jest.setTimeout(60_000);

const writers = 8;
const main = join(__dirname, '../dist/main.js');

describe('A test server in a separate process', () => {
  let folder: string;
  let journal: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'florin-journal-'));
    journal = join(folder, 'log.jsonl');
  });
  afterEach(async () => {
    if (child?.exitCode === null && child.signalCode === null) await end('SIGKILL');
    await rm(folder, { recursive: true });
  });

  /** Resolves with its port when it listens. */
  async function start(port = 0): Promise<number> {
    child = spawn(process.execPath, [main, '--port', `${port}`, '--journal', journal], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
    expect(line).toMatch(/^listening on 127\.0\.0\.1:\d+$/);
    return Number(line.split(':')[1]);
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const exited = once(child!, 'exit') as Promise<[number | null]>;
    child!.kill(signal);
    return (await exited)[0];
  }

  async function numbersIn(client: EventStoreDBClient, stream: string): Promise<number[]> {
    const numbers: number[] = [];
    try {
      for await (const { event } of client.readStream<{ type: string; data: { n: number } }>(stream))
        numbers.push(event!.data.n);
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    }
    return numbers;
  }

  /** Appends one number after the other until the server dies. With credentials the client uses the plain append. */
  async function write(client: EventStoreDBClient, stream: string, from: number, onAcknowledged: (n: number) => void) {
    const credentials = { username: 'admin', password: 'changeit' };
    for (let n = from; ; n++) {
      const expectedRevision = n === 0 ? NO_STREAM : BigInt(n - 1);
      const event = jsonEvent({ type: 'Counted', data: { n } });
      try {
        await client.appendToStream(stream, event, { expectedRevision, credentials });
      } catch {
        return;
      }
      onAcknowledged(n);
    }
  }

  it('keeps all acknowledged events when it is killed repeatedly during appends', async () => {
    const acknowledged = new Array<number>(writers).fill(-1);
    let port = 0;
    for (let round = 0; round < 5; round++) {
      port = await start(port);
      const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${port}?tls=false`);
      let [sum, killed] = [0, undefined as Promise<unknown> | undefined];
      const writing = acknowledged.map(async (last, writer) => {
        const stored = await numbersIn(client, `count-${writer}`);
        expect(stored).toEqual(stored.map((_, index) => index));
        expect(stored.length).toBeGreaterThan(last);
        await write(client, `count-${writer}`, stored.length, (n) => {
          acknowledged[writer] = n;
          sum += 1;
          // At a different point in each round, while other appends are in flight.
          if (sum > 40 + round * 17) killed ??= end('SIGKILL');
        });
      });
      await Promise.all(writing);
      await killed;
      await client.dispose();
    }
    expect(Math.min(...acknowledged)).toBeGreaterThan(0);
  });

  it('exits with 0 on SIGTERM, and leaves no partial append', async () => {
    const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${await start()}?tls=false`);
    await client.appendToStream('count-1', jsonEvent({ type: 'Counted', data: { n: 0 } }));
    expect(await end('SIGTERM')).toBe(0);
    await client.dispose();
    expect(await readFile(journal, 'utf8')).toMatch(/Counted.*\n$/);
  });

  it('does not open the journal when another server listens on the port', async () => {
    const port = await start();
    const rival = spawn(process.execPath, [main, '--port', `${port}`, '--journal', journal], { stdio: 'pipe' });
    const [[code], [message]] = await Promise.all([once(rival, 'exit'), once(rival.stderr, 'data')]);
    expect([code, String(message)]).toEqual([1, expect.stringContaining('is already in use')]);
  });
});
