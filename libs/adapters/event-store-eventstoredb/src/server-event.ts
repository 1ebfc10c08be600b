import { type AllStreamRecordedEvent, binaryEvent, START } from '@eventstore/db-client';
import { beforeFirst, type EventToAppend, type Position, type RecordedEvent } from '@florin/event-sourcing';

/** An event of Florin, or only the position of one that the server has written for itself. */
export type ServerEvent = RecordedEvent | { readonly position: Position; readonly stream: undefined };

export function serverEvent(event: AllStreamRecordedEvent): ServerEvent {
  const { streamId: stream, id, type, revision } = event;
  if (stream.startsWith('$')) return { position: event.position.commit, stream: undefined };
  const position = positionOf(event);
  return {
    id,
    type,
    data: textOf(event.data),
    metadata: textOf(event.metadata),
    stream,
    revision: Number(revision),
    position,
  };
}

/** Servers write system events into streams that begin with a dollar sign. Florin skips them. */
export function isOwn(event: ServerEvent): event is RecordedEvent {
  return event.stream !== undefined;
}

const encoder = new TextEncoder();

/** Binary, because the client would parse the data and serialize it again. */
export function proposedEvent({ id, type, data, metadata }: EventToAppend) {
  return binaryEvent({ id, type, data: encoder.encode(data), metadata: encoder.encode(metadata) });
}

/**
 * The client has parsed metadata, and the data of events that earlier releases wrote as JSON. They contain only what
 * `JSON.stringify` returned, so this is exactly their text.
 */
function textOf(content: unknown): string {
  if (content === undefined) return '';
  if (!(content instanceof Uint8Array)) return JSON.stringify(content);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8');
}

/**
 * An event that was appended as this adapter appends has one place in the log, which the server reports as both its
 * commit and its prepare position: the offset of its record. That number is our position. The two differ only within
 * transactions of an obsolete protocol, where several events share one commit position. One number could not
 * distinguish them, and a reader that resumes between them would miss some. So reading such events fails.
 */
function positionOf({ streamId, position: { commit, prepare } }: AllStreamRecordedEvent): Position {
  if (commit === notTold) {
    throw new Error(
      `The event store does not report the positions of events in stream ${streamId}; it needs EventStoreDB 22.6 or newer, or KurrentDB`,
    );
  }
  if (commit === prepare) return commit;
  throw new Error(
    `An event of stream ${streamId} was written in a transaction (commit ${commit}, prepare ${prepare}), which has no single position; move it to another store`,
  );
}

/** Older servers report the largest number instead of positions in a read of one stream. */
const notTold = 18446744073709551615n;

/** As the client names a position. */
export function placeOf(position: Position) {
  return position === beforeFirst ? START : { commit: position, prepare: position };
}
