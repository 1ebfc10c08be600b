import { type Clock, randomId, serviceActor } from '@florin/kernel';
import { firstHash, sealEvent } from './event-metadata';
import {
  type EventStore,
  type EventToAppend,
  noStream,
  type RecordedEvent,
  RevisionConflict,
} from './ports/event-store.port';

/** The stream with the identity of a store, and the type of its only event. Both names are permanent. */
export const identityStream = 'florin-store';
const type = 'StoreOpened';

interface StoreOpened {
  readonly storeId: string;
  readonly createdAt: string;
  readonly florinVersion: string;
}

export interface StoreOpener {
  readonly service: string;
  readonly florinVersion: string;
  readonly clock: Clock;
}

/** The id in the store itself; undefined if the store was never opened. An emptied or replaced server has another one. */
export async function readStoreId(store: Pick<EventStore, 'readStream'>): Promise<string | undefined> {
  for await (const [opened] of store.readStream(identityStream)) {
    if (opened !== undefined) return storeIdIn(opened);
  }
  return undefined;
}

/** The id in the first event of the identity stream. */
export function storeIdIn(opened: RecordedEvent): string {
  return (JSON.parse(opened.data) as StoreOpened).storeId;
}

/** Gives the store an id, unless it has one, and returns its id. Several processes may open it at once. */
export async function openStore(
  store: Pick<EventStore, 'append' | 'readStream'>,
  opener: StoreOpener,
): Promise<string> {
  const existing = await readStoreId(store);
  if (existing !== undefined) return existing;
  const storeId = randomId();
  try {
    await store.append(identityStream, noStream, [storeOpened(storeId, opener)]);
    return storeId;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    return openStore(store, opener);
  }
}

function storeOpened(storeId: string, { service, florinVersion, clock }: StoreOpener): EventToAppend {
  const createdAt = clock.now().toISOString();
  const opened: StoreOpened = { storeId, createdAt, florinVersion };
  const metadata = {
    schemaVersion: 1,
    recordedAt: createdAt,
    correlationId: storeId,
    causationId: storeId,
    actor: serviceActor(service),
  };
  const event = { stream: identityStream, revision: 0, id: randomId(), type, data: JSON.stringify(opened), metadata };
  return sealEvent(event, firstHash).sealed;
}
