import { randomUUID } from 'node:crypto';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import {
  type ServerDuplexStream,
  type ServerWritableStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { appendRequest } from './append-request';
import type { Fault, Faults, Method } from './faults';
import { type ReadQuery, readQuery } from './read-query';
import { Refusal } from './refusal';
import { appendResponse, confirmation, eventResponse, streamNotFound } from './responses';
import type { AppendOutcome, StoredEvent, StoredLog } from './stored-log';

export interface StreamsServiceOptions {
  readonly log: StoredLog;
  readonly faults: Faults;
  readonly dropConnections: () => void;
}

interface Subscriber {
  readonly send: (response: ReadResp) => Promise<void>;
  readonly isDuplicated: boolean;
  readonly signal: AbortSignal;
}

/** `event_store.client.streams.Streams`, as far as the adapter uses it; gRPC replies UNIMPLEMENTED to the rest. */
export class StreamsService {
  constructor(private readonly options: StreamsServiceOptions) {}

  get implementation(): UntypedServiceImplementation {
    return {
      read: (call: ServerWritableStream<ReadReq, ReadResp>) => {
        this.read(call).catch((error: unknown) => call.emit('error', error));
      },
      batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => {
        const unfinished = new Map<string, BatchAppendReq[]>();
        call.on('data', (message: BatchAppendReq) => {
          const id = message.getCorrelationId()!;
          const messages = [...(unfinished.get(id.getString()) ?? []), message];
          unfinished.set(id.getString(), messages);
          if (!message.getIsFinal()) return;
          unfinished.delete(id.getString());
          this.append(messages).then(
            (outcome) => call.write(appendResponse(id, outcome)),
            (error: unknown) => call.emit('error', error),
          );
        });
        call.on('end', () => call.end());
      },
    };
  }

  private async append(messages: readonly BatchAppendReq[]): Promise<AppendOutcome> {
    const { stream, expected, events } = appendRequest(messages);
    const fault = await this.applyFault('append');
    const { log, dropConnections } = this.options;
    let outcome = log.append(stream, expected, events);
    if (fault?.kind === 'duplicate') outcome = log.append(stream, expected, events);
    if (fault?.kind === 'drop') dropConnections();
    return outcome;
  }

  private async read(call: ServerWritableStream<ReadReq, ReadResp>): Promise<void> {
    const query = readQuery(call.request);
    const fault = await this.applyFault(query.isSubscription ? 'subscribe' : 'read');
    const ending = new AbortController();
    call.on('cancelled', () => ending.abort());
    const send = async (response: ReadResp): Promise<void> => {
      if (!call.write(response)) await drained(call, ending.signal);
    };
    if (query.isSubscription) {
      await this.follow(query, { send, isDuplicated: fault?.kind === 'duplicate', signal: ending.signal });
    } else {
      for (const response of this.responsesTo(query)) await send(response);
    }
    if (fault?.kind === 'drop') this.options.dropConnections();
    call.end();
  }

  /** Catches up, then follows live. The start position is exclusive: the client has already seen that event. */
  private async follow(query: ReadQuery, { send, isDuplicated, signal }: Subscriber): Promise<void> {
    const { log } = this.options;
    let next = query.from + 1n;
    await send(confirmation(randomUUID()));
    while (!signal.aborted) {
      for (const event of log.from(next)) {
        if (signal.aborted) return;
        if (query.matches(event)) {
          await send(eventResponse(event));
          if (isDuplicated) await send(eventResponse(event));
        }
        next = event.position + 1n;
      }
      await log.reaches(next, signal);
    }
  }

  private responsesTo(query: ReadQuery): ReadResp[] {
    const events = this.eventsFor(query);
    if (events === undefined) return [streamNotFound(query.stream!)];
    const responses: ReadResp[] = [];
    for (const event of events) {
      if (responses.length >= query.count) break;
      if (query.matches(event)) responses.push(eventResponse(event));
    }
    return responses;
  }

  private eventsFor({ stream, from, isBackwards }: ReadQuery): Iterable<StoredEvent> | undefined {
    const { log } = this.options;
    if (stream !== undefined) return log.stream(stream)?.slice(Number(from));
    return isBackwards ? log.backwards() : log.from(from);
  }

  private async applyFault(method: Method): Promise<Fault | undefined> {
    const fault = this.options.faults.take(method);
    if (fault?.kind === 'refuse') throw new Refusal(fault.code, fault.details, fault.trailers);
    if (fault?.kind === 'delay') {
      fault.onArrival();
      await fault.until;
    }
    if (fault?.kind === 'drop' && fault.when === 'before') {
      this.options.dropConnections();
      throw new Refusal(status.UNAVAILABLE, 'The server is stopped');
    }
    return fault;
  }
}

/** Resolves when the client can receive more, or has disconnected. */
function drained(call: ServerWritableStream<ReadReq, ReadResp>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const resume = (): void => {
      call.off('drain', resume);
      signal.removeEventListener('abort', resume);
      resolve();
    };
    call.on('drain', resume);
    signal.addEventListener('abort', resume);
  });
}
