import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import { beforeFirst, noStream } from '@florin/event-sourcing';
import { allEvents, Follower, idsOf, newEvent, newStream, wholeStream } from '@florin/event-sourcing/testing';
import { until } from '@florin/kernel/testing';
import { EventStoreDbEventStore } from './eventstoredb-event-store.adapter';

const [writers, kills] = [8, 2];

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

  it(
    'keeps all acknowledged events, and the adapter continues',
    async () => {
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
      const killRepeatedly = async (): Promise<void> => {
        for (let round = 1; round <= kills; round++) {
          // At a different point in each round, while other appends are in flight.
          const target = count() + 100 + 17 * round;
          await until(() => count() >= target);
          await started.server.kill();
          await started.server.restart();
        }
      };
      const writing = [...acknowledged].map(([stream, ids]) => write(stream, ids));
      await Promise.all([...writing, killRepeatedly().finally(() => (isOver = true))]);

      for (const [stream, ids] of acknowledged) expect(idsOf(await wholeStream(store, stream))).toEqual(ids);
      const everything = await allEvents(store, { after: beforeFirst });
      expect(everything).toHaveLength(count());
      expect(await follower.untilEvents(count())).toEqual(everything);
    },
    EVENTSTOREDB_TIMEOUT_MS,
  );
});
