import type { LogCheckpoint } from '../log-checkpoints/log-checkpoint';
import type { LogCheckpointStore } from '../ports/log-checkpoint-store.port';
import type { InMemoryTransaction } from './in-memory-checkpoint-store';

/** Signed checkpoints for tests, which may change them as an attacker would. */
export class InMemoryLogCheckpoints implements LogCheckpointStore<InMemoryTransaction> {
  all: LogCheckpoint[] = [];

  async append(tx: InMemoryTransaction, checkpoint: LogCheckpoint): Promise<void> {
    tx.onCommit(() => this.all.push(checkpoint));
  }

  async newest(): Promise<LogCheckpoint | undefined> {
    return this.all.at(-1);
  }

  async after(number: number, limit: number): Promise<readonly LogCheckpoint[]> {
    return this.all.filter((checkpoint) => checkpoint.number > number).slice(0, limit);
  }

  async newestFirst(limit: number, before = Infinity): Promise<readonly LogCheckpoint[]> {
    return this.all
      .filter(({ number }) => number < before)
      .reverse()
      .slice(0, limit);
  }
}
