import { randomId, serviceActor } from '@florin/kernel';
import { firstHash, metadataOf, sealEvent } from '../event-metadata';
import { type EventStore, noStream, type Position, type RecordedEvent } from '../ports/event-store.port';
import { identityStream, type StoreOpener } from '../store-identity';

/** A store as the identity of another one names it. The id of an old store may be unknown. */
export interface NamedStore {
  readonly kind: string;
  readonly storeId: string | null;
}

/** What the events of the identity stream say about a store. These names are permanent. */
export interface StoreHistory {
  readonly storeId: string;
  /** The store whose log was copied to this one. */
  readonly copiedFrom?: NamedStore;
  /** False while events are copied, and after an interruption. */
  readonly isComplete: boolean;
  /** The store that has the log since it was copied from this one. */
  readonly movedTo?: NamedStore;
  readonly last: RecordedEvent;
}

type IdentityStore = Pick<EventStore, 'append' | 'readStream'>;

/** Undefined if the store was never opened. */
export async function readStoreHistory(store: Pick<EventStore, 'readStream'>): Promise<StoreHistory | undefined> {
  let history: StoreHistory | undefined;
  for await (const events of store.readStream(identityStream)) {
    for (const event of events) history = evolve(history, event);
  }
  return history;
}

function evolve(history: StoreHistory | undefined, last: RecordedEvent): StoreHistory | undefined {
  const data = JSON.parse(last.data) as {
    readonly storeId: string;
    readonly copiedFrom?: NamedStore;
    readonly to: NamedStore;
  };
  switch (last.type) {
    case 'StoreOpened': {
      const { storeId, copiedFrom } = data;
      return { storeId, ...(copiedFrom && { copiedFrom }), isComplete: copiedFrom === undefined, last };
    }
    case 'StoreCopied':
      return history && { ...history, isComplete: true, last };
    case 'StoreMoved':
      return history && { ...history, movedTo: data.to, last };
    default:
      return history && { ...history, last };
  }
}

/** Gives an empty store the identity of a copy, before the first event is copied. */
export async function openCopy(store: IdentityStore, copiedFrom: NamedStore, opener: StoreOpener): Promise<void> {
  const { florinVersion, clock } = opener;
  const opened = { storeId: randomId(), createdAt: clock.now().toISOString(), florinVersion, copiedFrom };
  await append(store, undefined, 'StoreOpened', opened, opener);
}

/** The copy was compared with its source and has all of its events. */
export async function completeCopy(store: IdentityStore, events: number, opener: StoreOpener): Promise<void> {
  const { florinVersion, clock } = opener;
  const copied = { events, completedAt: clock.now().toISOString(), florinVersion };
  await append(store, await readStoreHistory(store), 'StoreCopied', copied, opener);
}

/** From now on another store has the log: no Florin starts on this one. Returns the position of the record. */
export async function recordMove(store: IdentityStore, to: NamedStore, opener: StoreOpener): Promise<Position> {
  const history = await readStoreHistory(store);
  if (history?.movedTo !== undefined) return history.last.position;
  await append(store, history, 'StoreMoved', { to, movedAt: opener.clock.now().toISOString() }, opener);
  return (await readStoreHistory(store))!.last.position;
}

async function append(
  store: IdentityStore,
  history: StoreHistory | undefined,
  type: string,
  data: object,
  { service, clock }: StoreOpener,
): Promise<void> {
  const revision = (history?.last.revision ?? noStream) + 1;
  const id = randomId();
  const metadata = {
    ...{ schemaVersion: 1, recordedAt: clock.now().toISOString(), correlationId: id, causationId: id },
    actor: serviceActor(service),
  };
  const event = { stream: identityStream, revision, id, type, data: JSON.stringify(data), metadata };
  const previous = history === undefined ? firstHash : metadataOf(history.last).hash;
  await store.append(identityStream, revision - 1, [sealEvent(event, previous).sealed]);
}
