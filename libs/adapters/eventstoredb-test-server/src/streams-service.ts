import type { UUID } from '@eventstore/db-client/generated/shared_pb';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb';
import {
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerWritableStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { appendResponse, batchResponse, eventResponse, streamNotFound } from './responses';
import { type AppendRequest, fromBatch, fromMessages } from './append-request';
import type { Fault, Faults, Method } from './faults';
import { type ReadQuery, readQuery } from './read-query';
import { invalidPosition, Refusal } from './refusal';
import type { AppendOutcome, StoredEvent, StoredLog } from './stored-log';
import { feedSubscription } from './subscription-feed';

export interface StreamsServiceOptions {
  readonly log: StoredLog;
  readonly faults: Faults;
  readonly dropConnections: () => void;
}

/** `event_store.client.streams.Streams`, partially; gRPC replies UNIMPLEMENTED to the rest. */
export class StreamsService {
  constructor(private readonly options: StreamsServiceOptions) {}

  get implementation(): UntypedServiceImplementation {
    return {
      read: (call: ServerWritableStream<ReadReq, ReadResp>) => {
        this.read(call).catch((error: unknown) => call.emit('error', asRefusal(error)));
      },
      append: (call: ServerReadableStream<AppendReq, AppendResp>, callback: sendUnaryData<AppendResp>) => {
        this.append(call).then(
          (response) => callback(null, response),
          (error: unknown) => callback(asRefusal(error)),
        );
      },
      batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => this.batchAppend(call),
    };
  }

  private async append(call: ServerReadableStream<AppendReq, AppendResp>): Promise<AppendResp> {
    const messages: AppendReq[] = [];
    for await (const message of call as AsyncIterable<AppendReq>) messages.push(message);
    const request = fromMessages(messages);
    return appendResponse(await this.store(request), request.expected);
  }

  /** One long call carries many appends; the messages of one append share a correlation id. */
  private batchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void {
    const parts = new Map<string, BatchAppendReq[]>();
    call.on('data', (message: BatchAppendReq) => {
      const correlation = message.getCorrelationId()!;
      const messages = [...(parts.get(correlation.getString()) ?? []), message];
      parts.set(correlation.getString(), messages);
      if (!message.getIsFinal()) return;
      parts.delete(correlation.getString());
      this.respondToBatch(correlation, messages).then(
        (response) => call.write(response),
        (error: unknown) => call.emit('error', asRefusal(error)),
      );
    });
    call.on('end', () => call.end());
  }

  private async respondToBatch(correlation: UUID, messages: readonly BatchAppendReq[]): Promise<BatchAppendResp> {
    const request = fromBatch(messages);
    const outcome = await this.store(request);
    return batchResponse(request.stream, outcome, request.expected).setCorrelationId(correlation);
  }

  private async store({ stream, expected, events }: AppendRequest): Promise<AppendOutcome> {
    const fault = await this.applyFault('append');
    const { log, dropConnections } = this.options;
    let outcome = await log.append(stream, expected, events);
    if (fault?.kind === 'duplicate') outcome = await log.append(stream, expected, events);
    if (fault?.kind === 'drop') dropConnections();
    return outcome;
  }

  private async read(call: ServerWritableStream<ReadReq, ReadResp>): Promise<void> {
    const query = readQuery(call.request);
    if (query.isSubscription && query.stream !== undefined) {
      throw new Refusal(status.UNIMPLEMENTED, 'This server supports subscriptions to $all only');
    }
    const fault = await this.applyFault(query.isSubscription ? 'subscribe' : 'read');
    const ending = new AbortController();
    call.on('cancelled', () => ending.abort());
    const send = async (response: ReadResp): Promise<void> => {
      if (!call.write(response)) await drained(call, ending.signal);
    };
    if (query.isSubscription) {
      const isDuplicated = fault?.kind === 'duplicate';
      await feedSubscription(query, { log: this.options.log, send, isDuplicated, signal: ending.signal });
    } else {
      for (const response of this.responsesTo(query)) await send(response);
    }
    if (fault?.kind === 'drop') this.options.dropConnections();
    call.end();
  }

  private responsesTo(query: ReadQuery): ReadResp[] {
    const { log } = this.options;
    if (query.stream === undefined) return this.select(allEvents(log, query), query);
    const stream = log.stream(query.stream);
    return stream === undefined ? [streamNotFound(query.stream)] : this.select(ofStream(stream, query), query);
  }

  private select(events: Iterable<StoredEvent>, { count, matches }: ReadQuery): ReadResp[] {
    const responses: ReadResp[] = [];
    for (const event of events) {
      if (responses.length >= count) break;
      if (matches(event)) responses.push(eventResponse(event));
    }
    return responses;
  }

  private async applyFault(method: Method): Promise<Fault | undefined> {
    const fault = this.options.faults.take(method);
    if (fault?.kind === 'refuse') throw new Refusal(fault.code, fault.details, fault.metadata);
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

/** The position is inclusive forwards and exclusive backwards, as on a real server. */
function allEvents(log: StoredLog, { from, isBackwards }: ReadQuery): Iterable<StoredEvent> {
  const position = from === 'start' ? 0n : from === 'end' ? log.endPosition : from;
  if (!log.isBoundary(position)) throw invalidPosition(position);
  return isBackwards ? log.before(position) : log.from(position);
}

function ofStream(stream: readonly StoredEvent[], { from, isBackwards }: ReadQuery): readonly StoredEvent[] {
  const revision = from === 'start' ? 0 : from === 'end' ? stream.length : Number(from);
  return isBackwards ? stream.slice(0, revision + 1).reverse() : stream.slice(revision);
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

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(status.UNKNOWN, error instanceof Error ? error.message : String(error));
}
