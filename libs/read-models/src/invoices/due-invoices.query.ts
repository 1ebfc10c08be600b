import { POOL } from '@florin/database';
import { accountIdOf } from '@florin/ledger-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';

const expiredBefore = {
  name: 'expired-sandbox-invoices',
  text: `
    SELECT address FROM read_models.invoices
    WHERE open AND environment = 'sandbox' AND status = 'pending' AND NOT paid AND expires_at <= $1
    GROUP BY address
    ORDER BY min(expires_at), address
    LIMIT $2`,
};

/** After an operator has decided, it is again up to us. */
const notMovedSince = {
  name: 'unfinished-invoices',
  text: `
    SELECT id, company_id AS "companyId", environment FROM read_models.invoices
    WHERE open AND updated_at < $1
      AND (
        status = 'creating'
        OR (status = 'pending' AND paid)
        OR (status = 'manual_review' AND review->>'resolution' IS NOT NULL)
      )
    ORDER BY updated_at, id
    LIMIT $2`,
};

interface UnfinishedRecord {
  readonly id: string;
  readonly companyId: string;
  readonly environment: string;
}

/** It does not wait for the newest events: whatever moves only now is no concern of a watchdog. */
@Injectable()
export class DueInvoicesQuery {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * The addresses, each of them once, of sandbox invoices that are pending and not paid though they expired at `now` or
   * before. Live ones expire by the clock of the chain alone.
   */
  async expiredBefore(now: Date, limit: number): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ address: string }>({ ...expiredBefore, values: [now, limit] });
    return rows.map(({ address }) => address);
  }

  /**
   * Invoices that it is up to us to move on and that have not moved since, the longest-waiting first: creating, paid and
   * not yet credited, or resolved by an operator and not yet ended.
   */
  async notMovedSince(before: Date, limit: number): Promise<readonly { accountId: string; invoiceId: string }[]> {
    const { rows } = await this.pool.query<UnfinishedRecord>({ ...notMovedSince, values: [before, limit] });
    return rows.map(({ id, companyId, environment }) => ({
      accountId: accountIdOf(companyId, environment),
      invoiceId: id,
    }));
  }
}
