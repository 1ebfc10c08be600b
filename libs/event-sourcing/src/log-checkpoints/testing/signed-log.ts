import { type EventMetadata, sealEvent } from '../../event-metadata';
import type { EventPage, RecordedEvent } from '../../ports/event-store.port';
import type { ScannableStore } from '../../scan-log';
import { verifyLog } from '../../verify-log';
import { CheckpointChain, combineCheckpoints, type EvidenceFinding } from '../check-checkpoints';
import { checkpointDigest, type LogCheckpoint, toCheckpointJson } from '../log-checkpoint';
import { LogDigest } from '../log-digest';
import { LogEvidence } from '../log-evidence';
import type { LogPublicKeys } from '../log-keys';
import { type LogSigningKey } from '../log-keys';

const metadata: Omit<EventMetadata, 'hash'> = {
  ...{ schemaVersion: 1, recordedAt: '2026-01-01T00:00:00.000Z', correlationId: 'c', causationId: 'c' },
};

/** What a test knows about an event before it is sealed and has a position. */
export interface PlainEvent {
  readonly stream: string;
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** Sealed events at gapless positions, as the product writes them and as an attacker can write them again. */
export function sealedLog(events: readonly PlainEvent[]): readonly RecordedEvent[] {
  const ends = new Map<string, { readonly revision: number; readonly hash: string }>();
  return events.map((event, index) => {
    const end = ends.get(event.stream) ?? { revision: -1, hash: '' };
    const revision = end.revision + 1;
    const { sealed, hash } = sealEvent({ ...event, revision, metadata }, end.hash);
    ends.set(event.stream, { revision, hash });
    return { ...sealed, stream: event.stream, revision, position: BigInt(index + 1) };
  });
}

/** Signs the log after each of the given numbers of events, independently of the production signer. */
export function signLog(
  events: readonly RecordedEvent[],
  counts: readonly number[],
  key: LogSigningKey,
): readonly LogCheckpoint[] {
  const digest = new LogDigest();
  const checkpoints: LogCheckpoint[] = [];
  events.forEach((event, index) => {
    digest.add(event);
    if (!counts.includes(index + 1)) return;
    const last = checkpoints.at(-1);
    checkpoints.push(
      key.sign({
        ...digest.state,
        number: checkpoints.length + 1,
        time: new Date(Date.parse(metadata.recordedAt) + index * 1_000).toISOString(),
        store: 'postgres',
        previous: last === undefined ? '' : checkpointDigest(last),
      }),
    );
  });
  return checkpoints;
}

export function storeOf(events: readonly RecordedEvent[], hasGaplessPositions = true): ScannableStore {
  return {
    hasGaplessPositions,
    head: async () => events.at(-1)?.position ?? 0n,
    readAll: async ({ after, pageSize = 1_000 }): Promise<EventPage> => {
      const found = events.filter(({ position }) => position > after).slice(0, pageSize);
      return { events: found, readTo: found.at(-1)?.position ?? after, isLast: found.length < pageSize };
    },
  };
}

export interface SignedLog {
  readonly events: readonly RecordedEvent[];
  /** In the database. */
  readonly stored: readonly LogCheckpoint[];
  /** Absent without a sink. */
  readonly sink?: readonly LogCheckpoint[];
  readonly hasGaplessPositions?: boolean;
}

export interface VerifiedLog {
  readonly findings: readonly EvidenceFinding[];
  /** What `verifyLog` finds without checkpoints. */
  readonly chainFindings: number;
  readonly uncovered: number;
}

/** Verifies as the command line does. */
export async function verifySigned(
  { events, stored, sink, hasGaplessPositions }: SignedLog,
  keys: LogPublicKeys,
): Promise<VerifiedLog> {
  const check = (checkpoints: readonly LogCheckpoint[], place: string) => {
    const chain = new CheckpointChain(keys, place);
    for (const checkpoint of checkpoints) chain.add(toCheckpointJson(checkpoint), `row ${checkpoint.number}`);
    return chain.close();
  };
  const inDatabase = check(stored, 'in the database');
  const { trusted, findings } =
    sink === undefined ? inDatabase : combineCheckpoints(inDatabase, check(sink, 'in the sink'));
  const evidence = new LogEvidence(trusted);
  const { broken, missing } = await verifyLog(storeOf(events, hasGaplessPositions), undefined, 7, evidence);
  const result = evidence.close();
  return {
    findings: [...findings, ...result.findings],
    chainFindings: broken.length + missing.length,
    uncovered: result.uncovered,
  };
}
