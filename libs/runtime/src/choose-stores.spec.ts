import { EventStoreUnreachable } from '@florin/event-sourcing';
import { chooseStores } from './choose-stores';
import type { Config } from './config';

const refusedConnection = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const bug = new TypeError('x is not a function');
const nowhere = { host: '127.0.0.1', port: 1 };
const onPostgres = { EVENT_STORE: 'postgres', FLORIN_DATA_DIR: 'data' } as const;
const onEventStoreDb = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' } as const;

/** Adapters connect on first use. */
async function isOutageFor(settings: Partial<Config>): Promise<(error: unknown) => boolean> {
  const { isOutage, close } = await chooseStores(settings as Config, nowhere);
  await close();
  return isOutage;
}

describe('chooseStores', () => {
  it('distinguishes database outages from bugs with every event store', async () => {
    for (const choice of [onPostgres, onEventStoreDb]) {
      const isOutage = await isOutageFor(choice);
      expect(isOutage(refusedConnection)).toBe(true);
      expect(isOutage(bug)).toBe(false);
    }
  });

  it('recognizes the outages of the configured store', async () => {
    const isOutage = await isOutageFor(onEventStoreDb);
    expect(isOutage(new EventStoreUnreachable(new Error('gone')))).toBe(true);
  });
});
