import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import { beforeFirst, noStream } from '@florin/event-sourcing';
import { allEvents, Follower, idsOf, newEvent, newStream, wholeStream } from '@florin/event-sourcing/testing';
import { until } from '@florin/kernel/testing';
import { EventStoreDbEventStore } from './eventstoredb-event-store.adapter';

const writers = 8;

describeWithEventStoreDb('An EventStoreDB that is killed repeatedly during appends', () => {
  let started: Awaited<ReturnType<typeof startTestEventStoreDb>>;
  let store: EventStoreDbEventStore;
  let follower: Follower;

  beforeAll(async () => {
    started = await startTestEventStoreDb();
    // Retries longer than a restart takes.
    store = new EventStoreDbEventStore(started.server.url, { retryForMs: 60_000, reconnects: 1_000 });
    follower = new Follower(store, { after: beforeFirst });
  }, EVENTSTOREDB_TIMEOUT_MS);
  afterAll(async () => {
    await follower.stop();
    await store.close();
    await started.remove();
  });

  let total = 0;

  // At a different point in each of them, while other appends are in flight.
  it.each([117, 134])(
    'keeps all acknowledged events after %i of them, and the adapter continues',
    async (target) => {
      const acknowledged = new Map<string, string[]>(Array.from({ length: writers }, () => [newStream(), []]));
      const count = (): number => [...acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0);
      let isOver = false;
      const write = async (stream: string, ids: string[]): Promise<void> => {
        while (!isOver) {
          const event = newEvent();
          await store.append(stream, ids.length === 0 ? noStream : ids.length - 1, [event]);
          ids.push(event.id);
        }
      };
      const kill = async (): Promise<void> => {
        await until(() => count() >= target);
        await started.server.kill();
        await started.server.restart();
      };
      const writing = [...acknowledged].map(([stream, ids]) => write(stream, ids));
      await Promise.all([...writing, kill().finally(() => (isOver = true))]);

      for (const [stream, ids] of acknowledged) expect(idsOf(await wholeStream(store, stream))).toEqual(ids);
      total += count();
      const everything = await allEvents(store, { after: beforeFirst });
      expect(everything).toHaveLength(total);
      expect(await follower.untilEvents(total)).toEqual(everything);
    },
    EVENTSTOREDB_TIMEOUT_MS,
  );
});
