import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import type { ProposedEvent } from './stored-log';

export interface AppendRequest {
  readonly stream: string;
  /** -1 for a new stream. */
  readonly expected: number;
  readonly events: readonly ProposedEvent[];
}

/** One append may consist of several messages. Only the first one has options. */
export function appendRequest(messages: readonly BatchAppendReq[]): AppendRequest {
  const options = messages[0]!.getOptions()!;
  const events = messages.flatMap((message) => message.getProposedMessagesList().map(proposedEvent));
  const stream = Buffer.from(options.getStreamIdentifier()!.getStreamName_asU8()).toString('utf8');
  return { stream, expected: options.hasNoStream() ? -1 : Number(options.getStreamPosition()), events };
}

function proposedEvent(message: BatchAppendReq.ProposedMessage): ProposedEvent {
  return {
    id: message.getId()!.getString(),
    type: message.getMetadataMap().get('type')!,
    contentType: message.getMetadataMap().get('content-type')!,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}
