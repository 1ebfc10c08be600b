import {
  type AllStreamRecordedEvent,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  START,
  type StreamingRead,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { beforeFirst, identityStream, type Position, storeIdIn } from '@florin/event-sourcing';
import { inTime } from './in-time';
import { isOwn, type ServerEvent, serverEvent } from './server-event';

/** Only the leader of a cluster is certain to have the latest acknowledged events. */
export const atLeader = { requiresLeader: true } as const;

/** Events that the client buffers. Its default of 16 halves the speed. */
export const buffered = { highWaterMark: 1_000 };

/** For one event. Clients wait for it. */
export const newestTimeoutMs = 2_000;

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
