import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { AppendReq, ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { beforeFirst, type EventToAppend, noStream, type Position, type RecordedEvent } from '@florin/event-sourcing';

type Filter = { readonly prefixes: readonly string[] } | { readonly regex: string };

/** Servers write system events into streams that begin with a dollar sign. Florin skips them. */
const ownStreams = '^[^$]';
const noStreams = '(?!)';

/** How many events the server scans per step when it searches for matching ones. */
const searchWindow = 1_000;

export function appendMessages(
  stream: string,
  expectedRevision: number,
  events: readonly EventToAppend[],
): readonly AppendReq[] {
  const options = new AppendReq.Options().setStreamIdentifier(identifierOf(stream));
  if (expectedRevision === noStream) options.setNoStream(new Empty());
  else options.setRevision(String(expectedRevision));
  return [new AppendReq().setOptions(options), ...events.map(proposal)];
}

function proposal({ id, type, data, metadata }: EventToAppend): AppendReq {
  const message = new AppendReq.ProposedMessage()
    .setId(new UUID().setString(id))
    .setData(bytes(data))
    .setCustomMetadata(bytes(metadata));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return new AppendReq().setProposedMessage(message);
}

export function streamRequest(stream: string, fromRevision: number, count: number): ReadReq {
  const from = new ReadReq.Options.StreamOptions().setStreamIdentifier(identifierOf(stream));
  from.setRevision(String(fromRevision));
  const options = newOptions().setStream(from).setCount(String(count)).setNoFilter(new Empty());
  return new ReadReq().setOptions(options);
}

/** A read includes the event at its position. */
export function allRequest(from: Position, count: number, categories: readonly string[] | undefined): ReadReq {
  const options = newOptions().setAll(startingAt(from)).setCount(String(count)).setFilter(filterOf(categories));
  return new ReadReq().setOptions(options);
}

export function newestRequest(): ReadReq {
  const options = newOptions()
    .setAll(new ReadReq.Options.AllOptions().setEnd(new Empty()))
    .setCount('1')
    .setFilter(filterOf(undefined));
  options.setReadDirection(ReadReq.Options.ReadDirection.BACKWARDS);
  return new ReadReq().setOptions(options);
}

/** A subscription starts after its position, unlike a read. */
export function subscriptionRequest(after: Position): ReadReq {
  const options = newOptions().setAll(startingAt(after)).setFilter(filterOf(undefined));
  options.setSubscription(new ReadReq.Options.SubscriptionOptions());
  return new ReadReq().setOptions(options);
}

/** The event in a response; some responses have none. */
export function eventIn(answer: ReadResp): RecordedEvent | undefined {
  const event = answer.getEvent()?.getEvent();
  if (event === undefined) return undefined;
  const stream = text(event.getStreamIdentifier()!.getStreamName_asU8());
  return {
    id: event.getId()!.getString(),
    type: event.getMetadataMap().get('type') ?? '',
    data: text(event.getData_asU8()),
    metadata: text(event.getCustomMetadata_asU8()),
    stream,
    revision: Number(event.getStreamRevision()),
    position: positionOf(stream, event.getCommitPosition(), event.getPreparePosition()),
  };
}

/**
 * An event that was appended as this adapter appends has one place in the log, which the server reports as both its
 * commit and its prepare position: the offset of its record. That number is our position. The two differ only within
 * transactions of an obsolete protocol, where several events share one commit position. One number could not
 * distinguish them, and a reader that resumes between them would miss some. So reading such events fails.
 */
function positionOf(stream: string, commit: string, prepare: string): Position {
  if (commit === notTold) {
    throw new Error(
      `The event store does not report the positions of events in stream ${stream}; it needs EventStoreDB 22.6 or newer, or KurrentDB`,
    );
  }
  if (commit === prepare) return BigInt(commit);
  throw new Error(
    `An event of stream ${stream} was written in a transaction (commit ${commit}, prepare ${prepare}), which has no single position; move it to another store`,
  );
}

/** Older servers report the largest number instead of positions in a read of one stream. */
const notTold = '18446744073709551615';

function newOptions(): ReadReq.Options {
  const ids = new ReadReq.Options.UUIDOption().setString(new Empty());
  return new ReadReq.Options().setResolveLinks(false).setUuidOption(ids);
}

function startingAt(position: Position): ReadReq.Options.AllOptions {
  if (position === beforeFirst) return new ReadReq.Options.AllOptions().setStart(new Empty());
  const place = new ReadReq.Options.Position();
  place.setCommitPosition(position.toString()).setPreparePosition(position.toString());
  return new ReadReq.Options.AllOptions().setPosition(place);
}

function filterOf(categories: readonly string[] | undefined): ReadReq.Options.FilterOptions {
  const expression = new ReadReq.Options.FilterOptions.Expression();
  const wanted = wantedStreams(categories);
  if ('regex' in wanted) expression.setRegex(wanted.regex);
  else expression.setPrefixList([...wanted.prefixes]);
  const filter = new ReadReq.Options.FilterOptions().setStreamIdentifier(expression).setMax(searchWindow);
  return filter.setCheckpointintervalmultiplier(1);
}

/**
 * Prefixes cost the server far less than expressions. Other streams with the same prefix are filtered out afterwards.
 */
function wantedStreams(categories: readonly string[] | undefined): Filter {
  if (categories === undefined) return { regex: ownStreams };
  return categories.length === 0 ? { regex: noStreams } : { prefixes: categories };
}

function identifierOf(stream: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(bytes(stream));
}

function bytes(content: string): Uint8Array {
  return Buffer.from(content, 'utf8');
}

function text(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8');
}
