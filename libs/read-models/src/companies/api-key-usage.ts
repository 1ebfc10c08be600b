import type { Pool } from 'pg';

export interface ApiKeyUsageOptions {
  /** Told when the notes could not be written. They are kept and written with the next ones. */
  readonly onError: (error: unknown) => void;
  readonly flushEveryMs?: number;
}

/** Replicas write the same rows at the same time: an order that all keep to cannot deadlock. */
const writeUses = `
  INSERT INTO gateway.api_key_usage (key_id, last_used_at)
  SELECT key_id, last_used_at FROM unnest($1::uuid[], $2::timestamptz[]) AS uses (key_id, last_used_at) ORDER BY key_id
  ON CONFLICT (key_id) DO UPDATE
  SET last_used_at = greatest(api_key_usage.last_used_at, excluded.last_used_at)`;

/**
 * Remembers when each key was last used. A request only leaves a note in memory; all notes of some seconds are written
 * by one statement. A crash loses those few seconds, which nothing depends on.
 */
export class ApiKeyUsage {
  private notes = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly pool: Pool,
    private readonly options: ApiKeyUsageOptions,
  ) {}

  record(keyId: string, at: Date): void {
    const noted = this.notes.get(keyId);
    if (noted === undefined || noted < at) this.notes.set(keyId, at);
    this.schedule();
  }

  /** Writes what is left. Notes that come later are not written any more. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.writing;
    await this.write();
  }

  /** The timer never keeps a process alive, and while one is set or a write is under way there is no other. */
  private schedule(): void {
    if (this.timer !== undefined || this.closed) return;
    this.timer = setTimeout(() => {
      this.writing = this.write().then(() => {
        this.timer = undefined;
        if (this.notes.size > 0) this.schedule();
      });
    }, this.options.flushEveryMs ?? 10_000).unref();
  }

  private async write(): Promise<void> {
    const uses = this.notes;
    if (uses.size === 0) return;
    this.notes = new Map();
    try {
      await this.pool.query(writeUses, [[...uses.keys()], [...uses.values()]]);
    } catch (error) {
      for (const [keyId, at] of uses) {
        if ((this.notes.get(keyId) ?? at) <= at) this.notes.set(keyId, at);
      }
      this.options.onError(error);
    }
  }
}
