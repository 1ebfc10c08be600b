import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { AppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { AppendOutcome, StoredEvent } from './stored-log';

export function eventResponse(event: StoredEvent): ReadResp {
  const position = event.position.toString();
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString(event.id))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  recorded.getMetadataMap().set('type', event.type).set('content-type', 'application/json').set('created', '0');
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position));
}

export function confirmation(id: string): ReadResp {
  return new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(id));
}

export function streamNotFound(stream: string): ReadResp {
  return new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)));
}

export function appendResponse(outcome: AppendOutcome): AppendResp {
  if (outcome.kind === 'wrong_revision')
    return new AppendResp().setWrongExpectedVersion(wrongRevision(outcome.current));
  const position = new AppendResp.Position()
    .setCommitPosition(outcome.position.toString())
    .setPreparePosition(outcome.position.toString());
  const success = new AppendResp.Success().setCurrentRevision(String(outcome.revision)).setPosition(position);
  return new AppendResp().setSuccess(success);
}

function wrongRevision(current: number): AppendResp.WrongExpectedVersion {
  const response = new AppendResp.WrongExpectedVersion();
  return current < 0 ? response.setCurrentNoStream(new Empty()) : response.setCurrentRevision(String(current));
}

function streamIdentifier(stream: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(Buffer.from(stream));
}
