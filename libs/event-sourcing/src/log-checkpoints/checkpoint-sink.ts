import { type Backoff, exponentialBackoff } from '../backoff';
import { type CheckpointStore, type Membership, type ShardClaim, ShardLost } from '../ports/checkpoint-store.port';
import type { LogCheckpointReader } from '../ports/log-checkpoint-store.port';
import { pause } from '../pause';
import type { SubscriptionLog } from '../subscription-options';
import { checkpointDigest, type CheckpointJson, type LogCheckpoint, toCheckpointJson } from './log-checkpoint';
import type { LogPublicKeys } from './log-keys';

/** A place outside the database that only grows. */
export interface CheckpointSink {
  /** How many checkpoints one write may contain. */
  readonly batchSize: number;
  /** The last checkpoint in the sink, for sinks that can be read. */
  last?(): Promise<LogCheckpoint | undefined>;
  /** Durable when it resolves. After a failure, writing continues after `last`, or repeats if the sink cannot be read. */
  write(checkpoints: readonly CheckpointJson[]): Promise<void>;
}

export interface CheckpointSinkOptions {
  /** A name per sink: another sink gets all checkpoints from the first one on. */
  readonly name: string;
  readonly sink: CheckpointSink;
  readonly checkpointLog: LogCheckpointReader;
  readonly checkpoints: Pick<CheckpointStore<unknown>, 'join'>;
  readonly publicKeys: LogPublicKeys;
  readonly log: SubscriptionLog;
  readonly backoff?: Backoff;
  readonly pollMs?: number;
}

export interface RunningSink {
  /** Resolves after the write in progress. */
  stop(): Promise<void>;
}

/** The sink has checkpoints that the database lacks or has differently. An operator has to find out why. */
export class SinkConflict extends Error {
  override readonly name = 'SinkConflict';
}

/**
 * Copies stored checkpoints to the sink, in order and at least once. Its position, the number of the last checkpoint, is
 * stored like that of a subscription, so that one replica writes at a time and an outage or a crash only delays it.
 */
export function runCheckpointSink(options: CheckpointSinkOptions): RunningSink {
  const ending = new AbortController();
  const ended = new SinkWriter(options, ending.signal).run();
  return {
    stop: async () => {
      ending.abort();
      await ended;
    },
  };
}

class SinkWriter {
  private membership: Membership<unknown> | undefined;
  private claim: ShardClaim | undefined;
  /** The number of the last checkpoint in the sink. */
  private written = 0;
  /** A failed write may have stored some of its checkpoints. */
  private isUncertain = false;

  constructor(
    private readonly options: CheckpointSinkOptions,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<void> {
    const { log, name, backoff = exponentialBackoff(1_000, 60_000), pollMs = 1_000 } = this.options;
    for (let failures = 0; !this.signal.aborted;) {
      try {
        await this.copy();
        failures = 0;
        await pause(pollMs, this.signal);
      } catch (error) {
        if (error instanceof SinkConflict) {
          log.error({ sink: name, err: error }, `The checkpoint sink is not written any more: ${error.message}`);
          break;
        }
        failures += 1;
        log.warn({ sink: name, err: error }, 'Log checkpoints could not be written to the sink; retrying');
        await backoff.wait(failures, this.signal);
      }
    }
    await this.membership?.leave().catch((error: unknown) => {
      log.warn({ sink: name, err: error }, 'Could not leave the checkpoint sink; it becomes free with the session');
    });
  }

  /** Writes all stored checkpoints that the sink does not have yet, if this replica owns the sink. */
  private async copy(): Promise<void> {
    const { checkpoints, checkpointLog, name, publicKeys, sink } = this.options;
    this.membership ??= await checkpoints.join(name, 1);
    const [claim] = await this.membership.balance(async () => undefined);
    if (claim === undefined) return;
    if (this.claim?.epoch !== claim.epoch) this.written = await this.endOfSink(Number(claim.position));
    else if (this.isUncertain) this.written = await this.endOfSink(this.written);
    this.claim = claim;
    while (!this.signal.aborted) {
      const next = await checkpointLog.after(this.written, sink.batchSize);
      const last = next.at(-1);
      if (last === undefined) return;
      this.isUncertain = true;
      await sink.write(next.map((checkpoint) => toCheckpointJson(checkpoint, publicKeys.get(checkpoint.keyId)?.text)));
      this.isUncertain = false;
      this.written = last.number;
      if (!(await this.remember(this.membership, claim))) return;
    }
  }

  /** False when another replica owns the sink now. */
  private async remember(membership: Membership<unknown>, claim: ShardClaim): Promise<boolean> {
    try {
      await membership.advance(claim, BigInt(this.written));
      return true;
    } catch (error) {
      if (!(error instanceof ShardLost)) throw error;
      this.claim = undefined;
      return false;
    }
  }

  /**
   * A sink that can be read knows best what it has: a crash may separate the write from the stored position, and a full
   * disk may cut a write off.
   */
  private async endOfSink(known: number): Promise<number> {
    const { checkpointLog, sink } = this.options;
    if (sink.last === undefined) return known;
    const last = await sink.last();
    if (last === undefined) return 0;
    const [stored] = await checkpointLog.after(last.number - 1, 1);
    if (stored?.number !== last.number) {
      throw new SinkConflict(
        `it has checkpoint ${last.number}, which the database does not have. Run florin verify --checkpoints with the sink`,
      );
    }
    if (checkpointDigest(stored) !== checkpointDigest(last)) {
      throw new SinkConflict(
        `its checkpoint ${last.number} differs from the one in the database. Run florin verify --checkpoints with the sink`,
      );
    }
    return last.number;
  }
}
