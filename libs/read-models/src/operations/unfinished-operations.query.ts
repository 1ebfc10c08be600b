import { POOL } from '@florin/database';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';

/**
 * After an operator has decided, it is again up to us. What is accepted and has no event of its own yet is up to the
 * process alone, and there may be many of them.
 */
const notMovedSince = {
  name: 'unfinished-operations',
  text: `
    SELECT id FROM read_models.operations
    WHERE open AND (status <> 'manual_review' OR review ? 'resolution') AND updated_at < $1 AND revision >= 0
    ORDER BY updated_at, id
    LIMIT $2`,
};

/** It does not wait for the newest events: whatever moves only now is no concern of a watchdog. */
@Injectable()
export class UnfinishedOperationsQuery {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Ids of operations that it is up to us to move on and that have not moved since, the longest-waiting first: queued,
   * processing, or resolved by an operator and not yet ended.
   */
  async notMovedSince(before: Date, limit: number): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>({ ...notMovedSince, values: [before, limit] });
    return rows.map(({ id }) => id);
  }
}
