import { type ManualClock, manualClock, until } from '@florin/kernel/testing';
import { exponentialBackoff } from '../backoff';
import { Progress } from '../progress';
import type { RunningSubscription } from '../subscription';
import { InMemoryCheckpointStore, type InMemoryTransaction } from '../testing/in-memory-checkpoint-store';
import { InMemoryEventStore } from '../testing/in-memory-event-store';
import { InMemoryLogCheckpoints } from '../testing/in-memory-log-checkpoints';
import { noBackoff } from '../testing/no-backoff';
import { checkpointDigest, type LogCheckpoint } from './log-checkpoint';
import { LogDigest } from './log-digest';
import { LogPublicKeys, LogSigningKey } from './log-keys';
import { runLogSigner, type LogSignerOptions } from './log-signer';

const noKeys = new LogPublicKeys([]);

class Outage extends Error {}

/** Commits, but loses some acknowledgements. */
class LossyCheckpoints extends InMemoryLogCheckpoints {
  failures: ('before' | 'after')[] = [];

  override async append(tx: InMemoryTransaction, checkpoint: LogCheckpoint): Promise<void> {
    const failure = this.failures.shift();
    if (failure === 'before') throw new Outage('The database is down');
    await super.append(tx, checkpoint);
    if (failure === 'after')
      tx.onCommit(() => {
        throw new Outage('The connection broke after the commit');
      });
  }
}

let store: InMemoryEventStore;
let checkpoints: InMemoryCheckpointStore;
let checkpointLog: LossyCheckpoints;
let clock: ManualClock;
let key: LogSigningKey;
let appended: number;
let errors: string[];
const running: RunningSubscription[] = [];

beforeEach(() => {
  store = new InMemoryEventStore();
  checkpoints = new InMemoryCheckpointStore();
  checkpointLog = new LossyCheckpoints();
  clock = manualClock('2026-01-01T00:00:00.000Z');
  key = LogSigningKey.generate();
  appended = 0;
  errors = [];
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((signer) => signer.stop()));
});

function start(overrides: Partial<LogSignerOptions<InMemoryTransaction>> = {}): RunningSubscription {
  const silent = (): void => undefined;
  const signer = runLogSigner({
    ...{ store, checkpoints, checkpointLog, key, clock, earlierKeys: noKeys, storeName: 'postgres' },
    progress: new Progress(),
    log: { info: silent, warn: silent, error: (_, message) => void errors.push(message) },
    ...{ isTransient: (error) => error instanceof Outage, backoff: noBackoff, balanceEveryMs: 5, attemptsPerBatch: 2 },
    ...{ maxEvents: 10, maxAgeMs: 100 },
    ...overrides,
  });
  running.push(signer);
  return signer;
}

async function append(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    appended += 1;
    const event = { id: `e${appended}`, type: 'Noted', data: `{"n":${appended}}`, metadata: '{}' };
    await store.append(`note-${appended}`, -1, [event]);
  }
}

/** Lets time pass until the signer has signed this many events. */
const untilSigned = (count: number): Promise<void> =>
  until(() => {
    clock.advance(20);
    return signedCount() === count;
  });

/** Appends events, and lets a first signer sign them. */
async function signAndStop(count: number): Promise<void> {
  await append(count);
  const signer = start();
  await until(() => signedCount() === count);
  await signer.stop();
  running.length = 0;
}

const signedCount = (): number => checkpointLog.all.at(-1)?.count ?? 0;

/** Recomputes every checkpoint from the log. */
async function expectSound(): Promise<void> {
  const { events } = await store.readAll({ after: 0n });
  const digest = new LogDigest();
  const states = new Map(
    events.map((event) => {
      digest.add(event);
      return [event.position, digest.state] as const;
    }),
  );
  let previous = '';
  for (const [index, checkpoint] of checkpointLog.all.entries()) {
    expect(checkpoint).toMatchObject({ ...states.get(checkpoint.position), number: index + 1, previous });
    previous = checkpointDigest(checkpoint);
  }
}

describe('runLogSigner', () => {
  it('signs after the maximum number of events', async () => {
    await append(25);
    start();
    await until(() => signedCount() === 20);
    expect(checkpointLog.all.map(({ count }) => count)).toEqual([10, 20]);
    expect(checkpointLog.all.every((checkpoint) => key.publicKey.verifies(checkpoint))).toBe(true);
    await expectSound();
  });

  it('signs fewer events after the maximum time, and nothing without events', async () => {
    start();
    await append(3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(checkpointLog.all).toEqual([]);
    clock.advance(100);
    await until(() => signedCount() === 3);
    clock.advance(10_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(checkpointLog.all).toHaveLength(1);
    await expectSound();
  });

  it('signs the rest when it stops', async () => {
    const progress = new Progress();
    const signer = start({ progress });
    await append(3);
    await until(() => progress.hasReached('log-checkpoints', 3n));
    await signer.stop();
    expect(signedCount()).toBe(3);
    await expectSound();
  });

  it('continues with the same numbers and hashes in another replica after a crash', async () => {
    start();
    await append(13);
    await until(() => signedCount() === 10);
    checkpoints.crash();
    start({ checkpoints: checkpoints.another() });
    await append(12);
    await untilSigned(25);
    await expectSound();
  });

  it('stores the same checkpoint once when the database fails before or after the commit', async () => {
    checkpointLog.failures = ['before', 'after', 'before', 'after'];
    await append(20);
    start();
    await until(() => signedCount() === 20);
    clock.advance(1_000);
    await append(10);
    await until(() => signedCount() === 30);
    expect(checkpointLog.all.map(({ count }) => count)).toEqual([10, 20, 30]);
    await expectSound();
  });

  it('continues after the last checkpoint if the position of the subscription is lost or ahead', async () => {
    await signAndStop(10);
    await append(15);
    start({ checkpoints: new InMemoryCheckpointStore() });
    await until(() => signedCount() === 20);
    await running.splice(0)[0]?.stop();
    expect(signedCount()).toBe(25);
    checkpointLog.all = checkpointLog.all.slice(0, 1);
    start({ checkpoints: checkpoints });
    await append(1);
    await untilSigned(26);
    await expectSound();
  });

  it('reports a position that someone else moved, instead of taking it for a stored checkpoint', async () => {
    await append(10);
    const signer = start();
    await until(() => signedCount() === 10);
    checkpoints.force('log-checkpoints', 9_000_000_000_000_000n);
    await append(10);
    await until(() => signer.status().state === 'stopped');
    expect(errors.join('\n')).toMatch(/log checkpoint 2 up to position 20 was not stored/);
    expect(checkpointLog.all).toHaveLength(1);
  });

  it('reports it also when the time has passed and no event arrives', async () => {
    const progress = new Progress();
    start({ progress });
    await append(3);
    await until(() => progress.hasReached('log-checkpoints', 3n));
    checkpoints.force('log-checkpoints', 9_000_000_000_000_000n);
    clock.advance(100);
    await until(() => errors.includes('A log checkpoint could not be stored; retrying'));
  });

  it('does not start at a position beyond the end of the log', async () => {
    await signAndStop(10);
    checkpoints.force('log-checkpoints', 9_000_000_000_000_000n);
    start({ backoff: exponentialBackoff(5, 10) });
    await until(() => errors.includes('Cannot read events; retrying'));
  });

  it('does not sign earlier than the previous checkpoint when its clock is behind', async () => {
    await signAndStop(10);
    clock.set('2025-01-01T00:00:00.000Z');
    await append(10);
    start();
    await until(() => signedCount() === 20);
    expect(checkpointLog.all[1]?.time).toBe(checkpointLog.all[0]?.time);
  });

  it('continues after a rotation if it knows the earlier key', async () => {
    await signAndStop(10);
    await append(10);
    const next = LogSigningKey.generate();
    start({ key: next, earlierKeys: new LogPublicKeys([key.publicKey]) });
    await until(() => signedCount() === 20);
    expect(checkpointLog.all.map(({ keyId }) => keyId)).toEqual([key.publicKey.id, next.publicKey.id]);
    await expectSound();
  });

  it.each<[string, (last: LogCheckpoint) => LogCheckpoint, RegExp]>([
    ['a changed checkpoint', (last) => ({ ...last, hash: '0'.repeat(64) }), /checkpoint 1 has a wrong signature/],
    [
      'a checkpoint of an unknown key',
      ({ signature: _, keyId: __, ...last }) => LogSigningKey.generate().sign(last),
      /checkpoint 1 is signed with the unknown key [0-9a-f]{16}; add its public key to LOG_PUBLIC_KEYS/,
    ],
  ])('refuses to continue %s', async (_case, forge, reason) => {
    await signAndStop(10);
    checkpointLog.all = checkpointLog.all.map(forge);
    await append(10);
    const signer = start();
    await until(() => signer.status().state === 'stopped');
    expect(errors.join('\n')).toMatch(reason);
    expect(checkpointLog.all).toHaveLength(1);
  });
});
