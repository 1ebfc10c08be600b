import {
  AllStreamPosition,
  Empty,
  StreamIdentifier,
  UUID,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { AppendResp, BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { status } from '@grpc/grpc-js';
import type { AppendOutcome, ExpectedRevision, StoredEvent } from './stored-log';

type Stored = Extract<AppendOutcome, { kind: 'stored' }>;

export function streamIdentifier(stream: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(Buffer.from(stream));
}

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

export function checkpoint(position: bigint): ReadResp {
  const reached = new ReadResp.Checkpoint();
  reached.setCommitPosition(position.toString()).setPreparePosition(position.toString());
  return new ReadResp().setCheckpoint(reached);
}

export function caughtUp(): ReadResp {
  return new ReadResp().setCaughtUp(new ReadResp.CaughtUp());
}

export function streamNotFound(stream: string): ReadResp {
  return new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)));
}

export function appendResponse(outcome: AppendOutcome, expected: ExpectedRevision): AppendResp {
  if (outcome.kind === 'wrong_revision')
    return new AppendResp().setWrongExpectedVersion(wrongExpectedVersion(outcome.current, expected));
  const position = new AppendResp.Position()
    .setCommitPosition(outcome.position.toString())
    .setPreparePosition(outcome.position.toString());
  const success = new AppendResp.Success().setCurrentRevision(String(outcome.revision)).setPosition(position);
  return new AppendResp().setSuccess(success);
}

function wrongExpectedVersion(current: number, expected: ExpectedRevision): AppendResp.WrongExpectedVersion {
  const response = new AppendResp.WrongExpectedVersion();
  if (current < 0) response.setCurrentNoStream(new Empty());
  else response.setCurrentRevision(String(current));
  if (typeof expected === 'number') response.setExpectedRevision(String(expected));
  else if (expected === 'no_stream') response.setExpectedNoStream(new Empty());
  else if (expected === 'stream_exists') response.setExpectedStreamExists(new Empty());
  else response.setExpectedAny(new Empty());
  return response;
}

export function batchResponse(stream: string, outcome: AppendOutcome, expected: ExpectedRevision): BatchAppendResp {
  const response = new BatchAppendResp().setStreamIdentifier(streamIdentifier(stream));
  return outcome.kind === 'stored'
    ? response.setSuccess(batchSuccess(outcome))
    : response.setError(wrongRevisionStatus(outcome.current, expected));
}

function batchSuccess({ revision, position }: Stored): BatchAppendResp.Success {
  const at = new AllStreamPosition().setCommitPosition(position.toString()).setPreparePosition(position.toString());
  return new BatchAppendResp.Success().setCurrentRevision(String(revision)).setPosition(at);
}

function wrongRevisionStatus(current: number, expected: ExpectedRevision): Status {
  const details = new WrongExpectedVersion();
  if (current >= 0) details.setCurrentStreamRevision(String(current));
  if (typeof expected === 'number') details.setExpectedStreamPosition(String(expected));
  const response = emptyStatusWithDetails().setCode(status.FAILED_PRECONDITION as number);
  response.setMessage('WrongExpectedVersion');
  response.getDetails()!.pack(details.serializeBinary(), 'event_store.client.WrongExpectedVersion');
  return response;
}

/** The client package does not export the class of the details, but a status with empty details has an instance. */
function emptyStatusWithDetails(): Status {
  const fieldThreeOfLengthZero = Uint8Array.of(0x1a, 0x00);
  return Status.deserializeBinary(fieldThreeOfLengthZero);
}
