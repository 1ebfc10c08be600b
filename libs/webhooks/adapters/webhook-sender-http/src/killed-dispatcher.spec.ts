import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { verifySignature } from '@florin/kernel';
import { QueueFixture, Receiver } from '@florin/webhooks-application/testing';

jest.setTimeout(120_000);

const kills = 6;
const [endpointCount, perEndpoint] = [10, 60];

describe('a dispatcher that is killed', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  let queue: QueueFixture;
  let receiver: Receiver;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 4 });
    queue = new QueueFixture(pool);
    receiver = await Receiver.start();
  });
  afterAll(async () => {
    await receiver.close();
    await pool.end();
    await database.drop();
  });

  /** The clock of each process is ahead of the previous one, so that the previous claims have expired. */
  const startProcess = (generation: number): ChildProcess => {
    const file = join(__dirname, '../dist/testing/dispatcher-process.js');
    const args = [file, JSON.stringify(database.connection), `${generation * 120_000}`];
    return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };

  it('loses no event: each arrives at least once, signed, with the same id and body', async () => {
    const endpoints = await Promise.all(
      Array.from({ length: endpointCount }, (_, index) => queue.addEndpoint(receiver.url(`ok/${index}`))),
    );
    const ids = await queue.addDeliveries(endpoints, perEndpoint, new Date());
    let generation = 0;
    for (; generation < kills; generation++) {
      const child = startProcess(generation);
      // Kill it at a different point of its claimed deliveries each time.
      await receiver.untilReceived(receiver.received.length + 1 + Math.floor(Math.random() * 60));
      await kill(child);
    }
    expect(await queue.countPending()).toBeGreaterThan(0);
    const last = startProcess(generation);
    while ((await queue.countPending()) > 0) await delay(50);
    await kill(last);

    const bodies = await queue.bodies();
    const { rows } = await pool.query<{ id: string; endpoint_id: string }>(
      'SELECT event_id AS id, endpoint_id FROM webhooks.deliveries',
    );
    expect(rows).toHaveLength(endpointCount * perEndpoint);
    const sent = new Map(rows.map((row) => [row.id, { ...row, body: bodies.get(row.id) }]));
    expect(new Set(receiver.received.map(({ eventId }) => eventId))).toEqual(new Set(sent.keys()));
    for (const { eventId, path, body, signature } of receiver.received) {
      const endpoint = endpoints[Number(path.split('/').at(-1))]!;
      expect(sent.get(eventId)).toEqual({ id: eventId, body, endpoint_id: endpoint.id });
      const signedAt = Number(/^t=(\d+),/.exec(signature)?.[1]);
      expect(verifySignature(signature, body, [endpoint.secret], signedAt, 0)).toBe(true);
    }
    expect(new Set((await queue.deliveries(ids)).map(({ status }) => status))).toEqual(new Set(['delivered']));
  });
});
