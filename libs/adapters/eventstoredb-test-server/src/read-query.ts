import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { status } from '@grpc/grpc-js';
import { Refusal } from './refusal';
import type { StoredEvent } from './stored-log';

export interface ReadQuery {
  /** All streams when absent. */
  readonly stream?: string;
  readonly from: bigint | 'start' | 'end';
  readonly isBackwards: boolean;
  readonly count: number;
  readonly isSubscription: boolean;
  readonly matches: (event: StoredEvent) => boolean;
  /** How many events a filtered subscription reads between two checkpoints; 0 without a filter. */
  readonly checkpointEvery: number;
}

/** The default search window of a real server. */
const defaultWindow = 32;

export function readQuery(request: ReadReq): ReadQuery {
  const options = request.getOptions();
  if (options === undefined) throw new Refusal(status.INVALID_ARGUMENT, 'A read without options');
  const filter = options.getFilter();
  return {
    stream: streamOf(options),
    from: startOf(options),
    isBackwards: options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS,
    count: Number(options.getCount()),
    isSubscription: options.hasSubscription(),
    matches: filter === undefined ? () => true : predicate(filter),
    checkpointEvery: filter === undefined ? 0 : windowOf(filter) * filter.getCheckpointintervalmultiplier(),
  };
}

function streamOf(options: ReadReq.Options): string | undefined {
  const name = options.getStream()?.getStreamIdentifier()?.getStreamName_asU8();
  return name === undefined ? undefined : Buffer.from(name).toString('utf8');
}

function startOf(options: ReadReq.Options): ReadQuery['from'] {
  const [stream, all] = [options.getStream(), options.getAll()];
  if (stream?.hasRevision()) return BigInt(stream.getRevision());
  const position = all?.getPosition();
  if (position !== undefined) return BigInt(position.getCommitPosition());
  return stream?.hasEnd() || all?.hasEnd() ? 'end' : 'start';
}

function predicate(filter: ReadReq.Options.FilterOptions): (event: StoredEvent) => boolean {
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  if (expression === undefined) throw new Refusal(status.INVALID_ARGUMENT, 'A filter without an expression');
  const [regex, prefixes] = [new RegExp(expression.getRegex(), 'u'), expression.getPrefixList()];
  const accepts = (text: string): boolean =>
    prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : regex.test(text);
  return (event) => accepts(byStream === undefined ? event.type : event.stream);
}

function windowOf(filter: ReadReq.Options.FilterOptions): number {
  return filter.hasMax() ? filter.getMax() : defaultWindow;
}
