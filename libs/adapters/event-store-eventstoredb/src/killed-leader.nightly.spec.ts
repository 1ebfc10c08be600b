import {
  describeWithEventStoreDb,
  EVENTSTOREDB_TIMEOUT_MS,
  startTestEventStoreDbCluster,
} from '@florin/dev-platform/testing';
import { beforeFirst, noStream } from '@florin/event-sourcing';
import { allEvents, Follower, idsOf, newEvent, newStream, wholeStream } from '@florin/event-sourcing/testing';
import { until } from '@florin/kernel/testing';
import { EventStoreDbEventStore } from './eventstoredb-event-store.adapter';

const writers = 8;
const eventsBefore = 200;

describeWithEventStoreDb('Three nodes of EventStoreDB whose leader is killed during appends', () => {
  let cluster: Awaited<ReturnType<typeof startTestEventStoreDbCluster>>['cluster'];
  let remove: () => Promise<void>;
  let store: EventStoreDbEventStore;
  let follower: Follower;

  beforeAll(async () => {
    ({ cluster, remove } = await startTestEventStoreDbCluster());
    await cluster.leader();
    store = new EventStoreDbEventStore(cluster.url);
    follower = new Follower(store, { after: beforeFirst });
  }, EVENTSTOREDB_TIMEOUT_MS);
  afterAll(async () => {
    await Promise.allSettled([follower.stop(), store.close()]);
    await remove();
  });

  it(
    'elect another one, and every append is stored once and without an error',
    async () => {
      const acknowledged = new Map<string, string[]>(Array.from({ length: writers }, () => [newStream(), []]));
      const count = (): number => [...acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0);
      let target = Infinity;
      const write = async (stream: string, ids: string[]): Promise<void> => {
        while (count() < target) {
          const event = newEvent();
          await store.append(stream, ids.length === 0 ? noStream : ids.length - 1, [event]);
          ids.push(event.id);
        }
      };
      const kill = async (): Promise<void> => {
        await until(() => count() >= eventsBefore);
        await (await cluster.leader()).kill();
        target = count() + eventsBefore;
      };
      await Promise.all([...[...acknowledged].map(([stream, ids]) => write(stream, ids)), kill()]);

      for (const [stream, ids] of acknowledged) expect(idsOf(await wholeStream(store, stream))).toEqual(ids);
      const everything = await allEvents(store, { after: beforeFirst });
      expect(everything).toHaveLength(count());
      expect(await follower.untilEvents(count())).toEqual(everything);
    },
    EVENTSTOREDB_TIMEOUT_MS,
  );
});
