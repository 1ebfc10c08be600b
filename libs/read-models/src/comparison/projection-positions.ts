import { beforeFirst, type Position, type RecordedEvent, shardOf, UnreadableEvent } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import type { RowFindings } from './compare-tables';
import { readModelFolds } from './read-model-folds';

/** The position of each shard of a projection. */
export type Shards = readonly Position[];
export type Checkpoints = ReadonlyMap<string, Shards>;
/** The position from which a projection has not processed a stream. */
export type SetAside = ReadonlyMap<string, Position>;

/** The checkpoint of the shard that the event belongs to. */
function positionFor({ stream }: RecordedEvent, shards: Shards): Position {
  return shards.length === 0 ? beforeFirst : shards[shardOf(stream, shards.length)]!;
}

/** Whether the rows of a projection contain the event. */
export function isProcessed(event: RecordedEvent, shards: Shards, setAside: SetAside): boolean {
  const { position, stream } = event;
  // Nearly all events are before all checkpoints, so their shards need not be computed.
  if (!isBeforeAll(position, shards) && position > positionFor(event, shards)) return false;
  const from = setAside.size === 0 ? undefined : setAside.get(stream);
  return from === undefined || position < from;
}

function isBeforeAll(position: Position, shards: Shards): boolean {
  for (const checkpoint of shards) if (position > checkpoint) return false;
  return shards.length > 0;
}

/** Up to where the rows of a projection contain all events. */
export function completeUpTo(shards: Shards, setAside: SetAside): Position {
  return [...setAside.values()].reduce((least, from) => minimum(least, from - 1n), lowest(shards));
}

/** Reports the event that a projection could not read, unless this release can, and catches up with it. */
export function reportIfUnreadable(
  event: RecordedEvent,
  { name, setAside, findings }: { readonly name: string; readonly setAside: SetAside; readonly findings: RowFindings },
): void {
  if (setAside.get(event.stream) !== event.position) return;
  try {
    readModelFolds[name]!().apply(event);
  } catch (error) {
    if (error instanceof UnreadableEvent) findings.add(`${event.stream}@${event.revision}`, error.message);
  }
}

/** A projection that never ran may have got its shards meanwhile. */
export function isAfter(later: Shards, earlier: Shards): boolean {
  if (earlier.length === 0) return true;
  return later.length === earlier.length && later.every((position, shard) => position >= earlier[shard]!);
}

function lowest(shards: Shards): Position {
  const [first = beforeFirst, ...others] = shards;
  return others.reduce(minimum, first);
}

export function minimum(one: Position, other: Position): Position {
  return one < other ? one : other;
}

export async function readCheckpoints(tx: PoolClient): Promise<Checkpoints> {
  const { rows } = await tx.query<{ subscription: string; positions: string[] }>(
    `SELECT subscription, array_agg(position::text ORDER BY shard) AS positions
     FROM event_store.subscription_shards GROUP BY subscription`,
  );
  return new Map(rows.map(({ subscription, positions }) => [subscription, positions.map(BigInt)]));
}

export async function readSetAside(tx: PoolClient): Promise<ReadonlyMap<string, SetAside>> {
  const { rows } = await tx.query<{ subscription: string; stream: string; position: string }>(
    'SELECT subscription, stream, position FROM event_store.set_aside_streams ORDER BY subscription, stream',
  );
  const bySubscription = new Map<string, Map<string, Position>>();
  for (const { subscription, stream, position } of rows) {
    const streams = bySubscription.get(subscription) ?? new Map<string, Position>();
    bySubscription.set(subscription, streams.set(stream, BigInt(position)));
  }
  return bySubscription;
}
