import { until } from '@florin/kernel/testing';
import { exponentialBackoff } from '../backoff';
import { InMemoryCheckpointStore } from '../testing/in-memory-checkpoint-store';
import { InMemoryLogCheckpoints } from '../testing/in-memory-log-checkpoints';
import { type CheckpointSink, runCheckpointSink, type RunningSink } from './checkpoint-sink';
import { type CheckpointJson, type LogCheckpoint, parseCheckpoint } from './log-checkpoint';
import { LogPublicKeys, LogSigningKey } from './log-keys';
import { sealedLog, signLog } from './testing/signed-log';

const key = LogSigningKey.generate();
const log = sealedLog(Array.from({ length: 20 }, (_, n) => ({ stream: 'a-1', id: `${n}`, type: 'Noted', data: '{}' })));
const signed = signLog(log, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20], key);

class TestSink implements CheckpointSink {
  readonly received: CheckpointJson[] = [];
  isDown = false;
  /** The next write stores only this many checkpoints, as on a full disk. */
  room: number | undefined;

  constructor(readonly batchSize: number) {}

  async write(checkpoints: readonly CheckpointJson[]): Promise<void> {
    if (this.isDown) throw new Error('The sink is down');
    const { room } = this;
    this.room = undefined;
    this.received.push(...checkpoints.slice(0, room));
    if (room !== undefined) throw new Error('ENOSPC: no space left on device');
  }
}

class ReadableSink extends TestSink {
  async last(): Promise<LogCheckpoint | undefined> {
    return parseCheckpoint(this.received.at(-1));
  }
}

const running: RunningSink[] = [];
let checkpoints: InMemoryCheckpointStore;
let checkpointLog: InMemoryLogCheckpoints;
let errors: string[];
let warnings: string[];

beforeEach(() => {
  checkpoints = new InMemoryCheckpointStore();
  checkpointLog = new InMemoryLogCheckpoints();
  errors = [];
  warnings = [];
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((sink) => sink.stop()));
});

function start(sink: CheckpointSink, store = checkpoints): RunningSink {
  const writer = runCheckpointSink({
    ...{ name: 'sink', sink, checkpointLog, checkpoints: store, publicKeys: new LogPublicKeys([key.publicKey]) },
    ...{ backoff: exponentialBackoff(1, 5), pollMs: 1 },
    log: {
      info: () => undefined,
      warn: (_, message) => void warnings.push(message),
      error: (_, message) => void errors.push(message),
    },
  });
  running.push(writer);
  return writer;
}

const numbers = ({ received }: TestSink): readonly number[] => received.map(({ number }) => number);
const upTo = (last: number): readonly number[] => signed.slice(0, last).map(({ number }) => number);

describe('runCheckpointSink', () => {
  it.each([1, 3, 100])('writes all checkpoints in order, %i at a time, with their public key', async (batchSize) => {
    const sink = new TestSink(batchSize);
    checkpointLog.all = signed.slice(0, 4);
    start(sink);
    await until(() => sink.received.length === 4);
    checkpointLog.all = [...signed];
    await until(() => sink.received.length === 10);
    expect(numbers(sink)).toEqual(upTo(10));
    expect(new Set(sink.received.map(({ publicKey }) => publicKey))).toEqual(new Set([key.publicKey.text]));
    expect(await checkpoints.position('sink')).toBe(10n);
  });

  it('catches up in order after an outage of the sink', async () => {
    const sink = new TestSink(1);
    sink.isDown = true;
    checkpointLog.all = signed.slice(0, 2);
    start(sink);
    await until(() => warnings.length > 3);
    checkpointLog.all = [...signed];
    sink.isDown = false;
    await until(() => sink.received.length === 10);
    expect(numbers(sink)).toEqual(upTo(10));
  });

  it('continues after a restart where the sink ended', async () => {
    const sink = new TestSink(1);
    checkpointLog.all = signed.slice(0, 4);
    const first = start(sink);
    await until(() => sink.received.length === 4);
    await first.stop();
    checkpointLog.all = [...signed];
    start(sink);
    await until(() => sink.received.length === 10);
    expect(numbers(sink)).toEqual(upTo(10));
  });

  it('writes nothing twice after a crash between the write and its position, if the sink can be read', async () => {
    const sink = new ReadableSink(1);
    checkpointLog.all = signed.slice(0, 4);
    start(sink);
    await until(() => sink.received.length === 4);
    checkpointLog.all = [...signed];
    start(sink, new InMemoryCheckpointStore());
    checkpoints.crash();
    await until(() => sink.received.length >= 10);
    expect([...new Set(numbers(sink))]).toEqual(upTo(10));
  });

  it('continues after the last stored checkpoint when a write stored only some', async () => {
    const sink = new ReadableSink(100);
    sink.room = 4;
    checkpointLog.all = [...signed];
    start(sink);
    await until(() => sink.received.length >= 10);
    expect(warnings).toHaveLength(1);
    expect(numbers(sink)).toEqual(upTo(10));
  });

  it('lets only one replica write', async () => {
    const sink = new TestSink(1);
    checkpointLog.all = [...signed];
    start(sink);
    start(sink, checkpoints.another());
    await until(() => sink.received.length === 10);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(numbers(sink)).toEqual(upTo(10));
  });

  it.each<[string, () => LogCheckpoint[], RegExp]>([
    ['lacks its last checkpoint', () => signed.slice(0, 3), /it has checkpoint 4, which the database does not have/],
    [
      'has another one',
      () => {
        const { signature: _, keyId: __, ...last } = signed[3]!;
        return [...signed.slice(0, 3), key.sign({ ...last, hash: '0'.repeat(64) })];
      },
      /its checkpoint 4 differs from the one in the database/,
    ],
  ])('stops with an error if the database %s', async (_case, inDatabase, reason) => {
    const sink = new ReadableSink(1);
    checkpointLog.all = signed.slice(0, 4);
    const first = start(sink);
    await until(() => sink.received.length === 4);
    await first.stop();
    checkpointLog.all = inDatabase();
    start(sink);
    await until(() => errors.length === 1);
    expect(errors[0]).toMatch(reason);
    expect(sink.received).toHaveLength(4);
  });
});
