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
import { appendAnswer, batchAnswer, eventAnswer, streamNotFound } from './answers';
import { type AppendRequest, fromBatch, fromMessages } from './append-request';
import type { Fault, Faults, Method } from './faults';
import { type ReadQuery, readQuery } from './read-query';
import { noRecordAt, Refusal } from './refusal';
import type { AppendOutcome, StoredEvent, StoredLog } from './stored-log';
import { feedSubscription } from './subscription-feed';

export interface StreamsServiceOptions {
  readonly log: StoredLog;
  readonly faults: Faults;
  readonly dropConnections: () => void;
}

/** `event_store.client.streams.Streams`, as far as it goes; gRPC replies UNIMPLEMENTED to the rest. */
export class StreamsService {
  constructor(private readonly options: StreamsServiceOptions) {}

  get implementation(): UntypedServiceImplementation {
    return {
      read: (call: ServerWritableStream<ReadReq, ReadResp>) => {
        this.read(call).catch((error: unknown) => call.emit('error', asRefusal(error)));
      },
      append: (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>) => {
        this.append(call).then(
          (response) => answer(null, response),
          (error: unknown) => answer(asRefusal(error)),
        );
      },
      batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => this.batchAppend(call),
    };
  }

  private async append(call: ServerReadableStream<AppendReq, AppendResp>): Promise<AppendResp> {
    const messages: AppendReq[] = [];
    for await (const message of call as AsyncIterable<AppendReq>) messages.push(message);
    const request = fromMessages(messages);
    return appendAnswer(await this.store(request), request.expected);
  }

  /** One long call carries many appends; the parts of one have the same correlation id. */
  private batchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void {
    const parts = new Map<string, BatchAppendReq[]>();
    call.on('data', (message: BatchAppendReq) => {
      const correlation = message.getCorrelationId()!;
      const messages = [...(parts.get(correlation.getString()) ?? []), message];
      parts.set(correlation.getString(), messages);
      if (!message.getIsFinal()) return;
      parts.delete(correlation.getString());
      this.answerBatch(correlation, messages).then(
        (answer) => call.write(answer),
        (error: unknown) => call.emit('error', asRefusal(error)),
      );
    });
    call.on('end', () => call.end());
  }

  private async answerBatch(correlation: UUID, messages: readonly BatchAppendReq[]): Promise<BatchAppendResp> {
    const request = fromBatch(messages);
    const outcome = await this.store(request);
    return batchAnswer(request.stream, outcome, request.expected).setCorrelationId(correlation);
  }

  private async store({ stream, expected, events }: AppendRequest): Promise<AppendOutcome> {
    const fault = await this.meetFault('append');
    const { log, dropConnections } = this.options;
    let outcome = await log.append(stream, expected, events);
    if (fault?.kind === 'duplicate') outcome = await log.append(stream, expected, events);
    if (fault?.kind === 'drop') dropConnections();
    return outcome;
  }

  private async read(call: ServerWritableStream<ReadReq, ReadResp>): Promise<void> {
    const query = readQuery(call.request);
    if (query.isSubscription && query.stream !== undefined) {
      throw new Refusal(status.UNIMPLEMENTED, 'This server has subscriptions to $all only');
    }
    const fault = await this.meetFault(query.isSubscription ? 'subscribe' : 'read');
    const ending = new AbortController();
    call.on('cancelled', () => ending.abort());
    const send = async (answer: ReadResp): Promise<void> => {
      if (!call.write(answer)) await drained(call, ending.signal);
    };
    if (query.isSubscription) {
      const isDuplicated = fault?.kind === 'duplicate';
      await feedSubscription(query, { log: this.options.log, send, isDuplicated, signal: ending.signal });
    } else {
      for (const answer of this.answersTo(query)) await send(answer);
    }
    if (fault?.kind === 'drop') this.options.dropConnections();
    call.end();
  }

  private answersTo(query: ReadQuery): ReadResp[] {
    const { log } = this.options;
    if (query.stream === undefined) return this.select(allEvents(log, query), query);
    const stream = log.stream(query.stream);
    return stream === undefined ? [streamNotFound(query.stream)] : this.select(ofStream(stream, query), query);
  }

  private select(events: Iterable<StoredEvent>, { count, matches }: ReadQuery): ReadResp[] {
    const answers: ReadResp[] = [];
    for (const event of events) {
      if (answers.length >= count) break;
      if (matches(event)) answers.push(eventAnswer(event));
    }
    return answers;
  }

  private async meetFault(method: Method): Promise<Fault | undefined> {
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

/** Forwards a position is included, backwards it is not, just as on a real server. */
function allEvents(log: StoredLog, { from, isBackwards }: ReadQuery): Iterable<StoredEvent> {
  const position = from === 'start' ? 0n : from === 'end' ? log.endPosition : from;
  if (!log.isBoundary(position)) throw noRecordAt(position);
  return isBackwards ? log.before(position) : log.from(position);
}

function ofStream(stream: readonly StoredEvent[], { from, isBackwards }: ReadQuery): readonly StoredEvent[] {
  const revision = from === 'start' ? 0 : from === 'end' ? stream.length : Number(from);
  return isBackwards ? stream.slice(0, revision + 1).reverse() : stream.slice(revision);
}

/** Resolves when the client can take more, or has gone. */
function drained(call: ServerWritableStream<ReadReq, ReadResp>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const goOn = (): void => {
      call.off('drain', goOn);
      signal.removeEventListener('abort', goOn);
      resolve();
    };
    call.on('drain', goOn);
    signal.addEventListener('abort', goOn);
  });
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(status.UNKNOWN, error instanceof Error ? error.message : String(error));
}
