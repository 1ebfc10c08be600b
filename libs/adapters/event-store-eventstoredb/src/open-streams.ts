import {
  type AllStreamRecordedEvent,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  START,
  type StreamingRead,
  streamNameFilter,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { beforeFirst, identityStream, type Position, storeIdIn } from '@florin/event-sourcing';
import { NoResponse } from './append-failures';
import { inTime } from './in-time';
import { isOwn, placeOf, type ServerEvent, serverEvent } from './server-event';

/** Only the leader of a cluster is certain to have the latest acknowledged events. */
export const atLeader = { requiresLeader: true } as const;

/** Events that the client buffers. Its default of 16 halves the speed. */
export const buffered = { highWaterMark: 1_000 };

/** For one event. Clients wait for it. */
export const newestTimeoutMs = 2_000;

/** How many events the server skips before it reports how far it got. */
const maxSearchWindow = 1_000;

/** All events after a position, without those that the server writes for itself, into streams that begin with a dollar sign. */
export function subscribeToOwn(
  client: EventStoreDBClient,
  after: Position,
  onCheckpoint: (position: Position) => void,
) {
  const checkpointReached = async (_: unknown, at: { readonly commit: Position }) => {
    // Events before it that are still buffered would be missed.
    if (events.readableLength === 0) onCheckpoint(at.commit);
  };
  const filter = streamNameFilter({ regex: '^[^$]', maxSearchWindow, checkpointReached });
  const events = client.subscribeToAll({ fromPosition: placeOf(after), filter, ...atLeader }, buffered);
  return events;
}

/** A stream of the vendor's client and how to end it. */
export interface EventStream {
  readonly events: NodeJS.EventEmitter;
  cancel(): Promise<void>;
}

/** The reads and subscriptions in progress. The vendor's streams do not report that they were canceled. */
export class OpenStreams {
  private readonly open = new Set<(error: Error) => void>();

  failAll(error: Error): void {
    for (const fail of this.open) fail(error);
  }

  async collect(events: StreamingRead<unknown>, timeoutMs: number): Promise<readonly ServerEvent[]> {
    const found: ServerEvent[] = [];
    const stream = { events: events as NodeJS.EventEmitter, cancel: () => events.cancel() };
    await inTime(
      this.untilEnd(stream, (event) => found.push(event)),
      timeoutMs,
      () => void stream.cancel().catch(() => undefined),
    );
    return found;
  }

  /** The identity of the store behind the connection of this client. */
  async storeId(client: EventStoreDBClient): Promise<string | undefined> {
    const opened = client.readStream(identityStream, { fromRevision: START, maxCount: 1, ...atLeader });
    const [first] = await this.collect(opened, newestTimeoutMs);
    return first !== undefined && isOwn(first) ? storeIdIn(first) : undefined;
  }

  /** The end of the log behind the connection of this client. */
  async end(client: EventStoreDBClient): Promise<Position> {
    const newest = client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1, ...atLeader });
    const [last] = await this.collect(newest, newestTimeoutMs);
    return last?.position ?? beforeFirst;
  }

  /** The newest event from one position to another, which is that of an event. At the first one there is an event. */
  async newestBetween(
    client: EventStoreDBClient,
    first: Position,
    last: Position,
    timeoutMs: number,
  ): Promise<Position> {
    let newest = first;
    const found = new AbortController();
    const reach = (position: Position): void => {
      if (position >= last) found.abort();
    };
    const subscription = subscribeToOwn(client, first, reach);
    const finish = (): unknown => (subscription.readableLength === 0 ? found.abort() : setImmediate(finish));
    subscription.on('caughtUp', finish);
    const stream = { events: subscription as NodeJS.EventEmitter, cancel: () => subscription.unsubscribe() };
    const onEvent = ({ position }: ServerEvent): void => {
      if (position <= last) newest = position;
      reach(position);
    };
    const cancel = (): void => void stream.cancel().catch(() => undefined);
    await inTime(this.untilEnd(stream, onEvent, found.signal), timeoutMs, cancel);
    if (!found.signal.aborted) throw new NoResponse('The server ended a search for the newest event');
    return newest;
  }

  /** Resolves at the end or when the signal aborts. */
  untilEnd(stream: EventStream, onEvent: (event: ServerEvent) => void, signal?: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const fail = (error: Error): void => {
        reject(error);
        leave();
      };
      const abort = (): void => {
        resolve();
        leave();
      };
      const leave = (): void => {
        this.open.delete(fail);
        signal?.removeEventListener('abort', abort);
        stream.cancel().catch(() => undefined);
      };
      this.open.add(fail);
      signal?.addEventListener('abort', abort);
      const { events } = stream;
      events.on('data', ({ event }: { readonly event?: AllStreamRecordedEvent }) => {
        try {
          if (event !== undefined) onEvent(serverEvent(event));
        } catch (error) {
          fail(error as Error);
        }
      });
      events.on('end', abort);
      events.on('error', (error: Error) => (error instanceof StreamNotFoundError ? abort() : fail(error)));
    });
  }
}
