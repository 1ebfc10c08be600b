import { findBrokenLink, firstHash, metadataOf } from './event-metadata';
import { beforeFirst, type EventStore, type Position, type RecordedEvent } from './ports/event-store.port';

export interface VerificationProgress {
  readonly events: number;
  readonly readTo: Position;
  /** The end of the log when the walk began; what is written meanwhile is left for the next time. */
  readonly head: Position;
}

export interface LogVerification {
  readonly events: number;
  readonly streams: number;
  /** For each stream that does not stand as it was written, the first event that does not continue its chain. */
  readonly broken: readonly RecordedEvent[];
}

/** How far a stream is known to be sound; nothing once its chain is broken, because what follows proves nothing. */
type ChainEnd = { readonly hash: string; readonly nextRevision: number } | undefined;

/**
 * Walks the whole log and checks the hash chain of every stream: an event that was changed, moved, inserted or dropped
 * before another one shows. Events cut off at the end of a stream leave a sound chain behind, so they do not.
 */
export async function verifyLog(
  store: Pick<EventStore, 'head' | 'readAll'>,
  report: (progress: VerificationProgress) => void = () => undefined,
  pageSize = 5_000,
): Promise<LogVerification> {
  const chains = new Map<string, ChainEnd>();
  const broken: RecordedEvent[] = [];
  const head = await store.head();
  let events = 0;
  for (let after = beforeFirst; after < head;) {
    const page = await store.readAll({ after, pageSize });
    if (page.readTo <= after)
      throw new Error(`The log ends at ${after} although its head is at ${head}; check the store`);
    const upToHead = page.events.filter(({ position }) => position <= head);
    for (const event of upToHead) {
      const end = chains.has(event.stream) ? chains.get(event.stream) : { hash: firstHash, nextRevision: 0 };
      if (end === undefined) continue;
      const continued = continueChain(event, end);
      if (continued === undefined) broken.push(event);
      chains.set(event.stream, continued);
    }
    events += upToHead.length;
    after = page.readTo;
    report({ events, readTo: after < head ? after : head, head });
  }
  return { events, streams: chains.size, broken };
}

function continueChain(event: RecordedEvent, { hash, nextRevision }: NonNullable<ChainEnd>): ChainEnd {
  try {
    if (findBrokenLink([event], hash, nextRevision) !== undefined) return undefined;
    return { hash: metadataOf(event).hash, nextRevision: nextRevision + 1 };
  } catch {
    // Metadata that cannot even be read has been changed, too.
    return undefined;
  }
}
