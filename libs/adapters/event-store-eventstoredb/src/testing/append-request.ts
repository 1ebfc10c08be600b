import type { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import { appendTooLarge, maximumAppendSize } from './refusal';
import type { ProposedEvent } from './stored-log';

export interface AppendRequest {
  readonly stream: string;
  /** -1 for a new stream. */
  readonly expected: number;
  readonly events: readonly ProposedEvent[];
}

/** The options come first, then one event per message. */
export function appendRequest([first, ...others]: readonly AppendReq[]): AppendRequest {
  const options = first!.getOptions()!;
  const events = others.map((message) => proposedEvent(message.getProposedMessage()!));
  const size = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  if (size > maximumAppendSize) throw appendTooLarge();
  const stream = Buffer.from(options.getStreamIdentifier()!.getStreamName_asU8()).toString('utf8');
  return { stream, expected: options.hasNoStream() ? -1 : Number(options.getRevision()), events };
}

function proposedEvent(message: AppendReq.ProposedMessage): ProposedEvent {
  return {
    id: message.getId()!.getString(),
    type: message.getMetadataMap().get('type')!,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}
