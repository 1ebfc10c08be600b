import type { Pool } from 'pg';

export interface ApiKeyUsageOptions {
  /** Called when a write fails. The data is kept for the next write. */
  readonly onError: (error: unknown) => void;
  readonly flushEveryMs?: number;
}

/** Sorted by key, because replicas that update the same rows in different orders would deadlock. */
const writeUses = `
  INSERT INTO gateway.api_key_usage (key_id, last_used_at)
  SELECT key_id, last_used_at FROM unnest($1::uuid[], $2::timestamptz[]) AS uses (key_id, last_used_at) ORDER BY key_id
  ON CONFLICT (key_id) DO UPDATE
  SET last_used_at = greatest(api_key_usage.last_used_at, excluded.last_used_at)`;

/**
 * Records when each key was last used. Requests only update memory; one statement writes all updates of a few seconds. A
 * crash loses these updates, and nothing depends on them.
 */
export class ApiKeyUsage {
  private uses = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly pool: Pool,
    private readonly options: ApiKeyUsageOptions,
  ) {}

  record(keyId: string, at: Date): void {
    const known = this.uses.get(keyId);
    if (known === undefined || known < at) this.uses.set(keyId, at);
    this.schedule();
  }

  /** Writes the remaining updates. Later ones are dropped. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.writing;
    await this.write();
  }

  /** At most one timer or write at a time. The timer does not keep the process alive. */
  private schedule(): void {
    if (this.timer !== undefined || this.closed) return;
    this.timer = setTimeout(() => {
      this.writing = this.write().then(() => {
        this.timer = undefined;
        if (this.uses.size > 0) this.schedule();
      });
    }, this.options.flushEveryMs ?? 10_000).unref();
  }

  private async write(): Promise<void> {
    const uses = this.uses;
    if (uses.size === 0) return;
    this.uses = new Map();
    try {
      await this.pool.query(writeUses, [[...uses.keys()], [...uses.values()]]);
    } catch (error) {
      for (const [keyId, at] of uses) {
        if ((this.uses.get(keyId) ?? at) <= at) this.uses.set(keyId, at);
      }
      this.options.onError(error);
    }
  }
}
