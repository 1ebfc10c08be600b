import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import type { StoredEvent } from './stored-log';

export interface ReadQuery {
  /** All streams when absent. */
  readonly stream?: string;
  /** A revision of the stream, or a position in the log. */
  readonly from: bigint;
  /** From the end of the log. */
  readonly isBackwards: boolean;
  readonly count: number;
  readonly isSubscription: boolean;
  readonly matches: (event: StoredEvent) => boolean;
}

/** Supports the requests that the adapter sends. */
export function readQuery(request: ReadReq): ReadQuery {
  const options = request.getOptions()!;
  const stream = options.getStream();
  const name = stream?.getStreamIdentifier()?.getStreamName_asU8();
  return {
    ...(name !== undefined && { stream: Buffer.from(name).toString('utf8') }),
    from: BigInt(stream?.getRevision() ?? options.getAll()?.getPosition()?.getCommitPosition() ?? 0),
    isBackwards: options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS,
    count: Number(options.getCount()),
    isSubscription: options.hasSubscription(),
    matches: predicate(options.getFilter()?.getStreamIdentifier()),
  };
}

function predicate(filter: ReadReq.Options.FilterOptions.Expression | undefined): (event: StoredEvent) => boolean {
  if (filter === undefined) return () => true;
  const [regex, prefixes] = [new RegExp(filter.getRegex(), 'u'), filter.getPrefixList()];
  if (prefixes.length === 0) return ({ stream }) => regex.test(stream);
  return ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix));
}
