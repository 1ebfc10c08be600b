import { POOL } from '@florin/database';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';

/** A resolved review has to be continued. Reservations without an operation event are left to the process. */
const unchangedSince = {
  name: 'unfinished-operations',
  text: `
    SELECT id FROM read_models.operations
    WHERE open AND (status <> 'manual_review' OR review ? 'resolution') AND updated_at < $1 AND revision >= 0
    ORDER BY updated_at, id
    LIMIT $2`,
};

/** Does not wait for the newest events: an operation that is advancing right now needs no watchdog. */
@Injectable()
export class UnfinishedOperationsQuery {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Operations that have not advanced since `before`, longest-waiting first: queued, processing, or resolved by an operator and
   * not yet ended.
   */
  async unchangedSince(before: Date, limit: number): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>({ ...unchangedSince, values: [before, limit] });
    return rows.map(({ id }) => id);
  }
}
