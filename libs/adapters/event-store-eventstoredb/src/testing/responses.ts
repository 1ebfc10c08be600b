import {
  AllStreamPosition,
  MaximumAppendSizeExceeded,
  StreamIdentifier,
  UUID,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Message } from 'google-protobuf';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import { Empty as EmptyValue } from 'google-protobuf/google/protobuf/empty_pb';
import { type AppendOutcome, maximumAppendSize, type StoredEvent } from './stored-log';

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
  recorded.getMetadataMap().set('type', event.type).set('content-type', event.contentType).set('created', '0');
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position));
}

export function confirmation(id: string): ReadResp {
  return new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(id));
}

export function streamNotFound(stream: string): ReadResp {
  return new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)));
}

/** The reply to the append with this correlation id. */
export function appendResponse(correlationId: UUID, outcome: AppendOutcome): BatchAppendResp {
  const response = new BatchAppendResp().setCorrelationId(correlationId).setStreamIdentifier(streamIdentifier(''));
  switch (outcome.kind) {
    case 'wrong_revision':
      return response.setError(errorOf(wrongRevision(outcome.current), 'WrongExpectedVersion'));
    case 'too_large':
      return response.setError(
        errorOf(new MaximumAppendSizeExceeded().setMaxappendsize(maximumAppendSize), 'MaximumAppendSizeExceeded'),
      );
    case 'stored': {
      const place = String(outcome.position);
      const position = new AllStreamPosition().setCommitPosition(place).setPreparePosition(place);
      const success = new BatchAppendResp.Success().setCurrentRevision(String(outcome.revision)).setPosition(position);
      return response.setSuccess(success);
    }
  }
}

function errorOf(details: Message, type: string): Status {
  const packed = new Any();
  packed.pack(details.serializeBinary(), `event_store.client.${type}`);
  return new Status().setDetails(packed);
}

function wrongRevision(current: number): WrongExpectedVersion {
  const response = new WrongExpectedVersion();
  return current < 0
    ? response.setCurrentNoStream(new EmptyValue())
    : response.setCurrentStreamRevision(String(current));
}

function streamIdentifier(stream: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(Buffer.from(stream));
}
