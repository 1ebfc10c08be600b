import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import type { AppendReq, BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import { status } from '@grpc/grpc-js';
import { appendTooLarge, maximumAppendSize, Refusal } from './refusal';
import type { ExpectedRevision, ProposedEvent } from './stored-log';

/** One append, from either RPC. */
export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
}

/** A call of `Append`: the options first, then one event per message. */
export function fromMessages(messages: readonly AppendReq[]): AppendRequest {
  const options = messages[0]?.getOptions();
  if (options === undefined) throw withoutOptions();
  const events = messages.slice(1).map((message) => proposedEvent(message.getProposedMessage()));
  const revision = options.hasRevision() ? Number(options.getRevision()) : undefined;
  return request(options, revision, events);
}

/** The messages of a `BatchAppend` with the same correlation id: only the first one has options. */
export function fromBatch(messages: readonly BatchAppendReq[]): AppendRequest {
  const options = messages[0]?.getOptions();
  if (options === undefined) throw withoutOptions();
  const events = messages.flatMap((message) => message.getProposedMessagesList().map(proposedEvent));
  const revision = options.hasStreamPosition() ? Number(options.getStreamPosition()) : undefined;
  return request(options, revision, events);
}

interface Target {
  getStreamIdentifier(): StreamIdentifier | undefined;
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
}

function request(target: Target, revision: number | undefined, events: readonly ProposedEvent[]): AppendRequest {
  const size = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  if (size > maximumAppendSize) throw appendTooLarge();
  const stream = Buffer.from(target.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8');
  const named = target.hasNoStream() ? 'no_stream' : target.hasStreamExists() ? 'stream_exists' : 'any';
  return { stream, expected: revision ?? named, events };
}

type ProposedMessage = AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage;

function proposedEvent(message: ProposedMessage | undefined): ProposedEvent {
  const id = message?.getId();
  const type = message?.getMetadataMap().get('type');
  const contentType = message?.getMetadataMap().get('content-type');
  if (message === undefined || id === undefined || type === undefined || contentType === undefined) {
    throw new Refusal(status.INVALID_ARGUMENT, 'An event needs an id, a type and a content type');
  }
  const [data, metadata] = [message.getData_asU8(), message.getCustomMetadata_asU8()];
  return { id: textOf(id), type, contentType, data, metadata };
}

function textOf(id: UUID): string {
  if (id.hasString()) return id.getString();
  throw new Refusal(status.INVALID_ARGUMENT, 'This server supports event ids as text only');
}

function withoutOptions(): Refusal {
  return new Refusal(status.INVALID_ARGUMENT, 'An append must start with its options');
}
