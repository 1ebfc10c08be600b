import { POOL } from '@florin/database';
import { accountIdOf } from '@florin/ledger-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AwaitedPayments } from './invoices.views';

const expiredBefore = {
  name: 'expired-sandbox-invoices',
  text: `
    SELECT address FROM read_models.invoices
    WHERE open AND environment = 'sandbox' AND status = 'pending' AND NOT paid AND expires_at <= $1
    GROUP BY address
    ORDER BY min(expires_at), address
    LIMIT $2`,
};

/** A resolved review has to be continued. */
const unchangedSince = {
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

/** Late payments are still matched for seven days, so their addresses must be watched. */
const awaitingElsewhere = {
  name: 'invoices-awaiting-elsewhere',
  text: `
    SELECT address, count(*)::integer AS invoices FROM (
      SELECT address FROM read_models.invoices
      WHERE open AND status = 'pending' AND environment = 'live'
      UNION ALL
      SELECT address FROM read_models.invoices
      WHERE expires_at > $2::timestamptz - interval '7 days' AND status = 'expired' AND environment = 'live'
    ) AS awaiting
    WHERE address <> ALL($1::text[])
    GROUP BY address ORDER BY address`,
};

interface UnfinishedRecord {
  readonly id: string;
  readonly companyId: string;
  readonly environment: string;
}

/** Does not wait for the newest events: an invoice that is advancing right now needs no watchdog. */
@Injectable()
export class DueInvoicesQuery {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * The distinct addresses of sandbox invoices that are pending, unpaid, and expired at `now` or before. Live invoices expire
   * by the time of the chain.
   */
  async expiredBefore(now: Date, limit: number): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ address: string }>({ ...expiredBefore, values: [now, limit] });
    return rows.map(({ address }) => address);
  }

  /**
   * Invoices that have not advanced since `before`, longest-waiting first: creating, paid and not yet credited, or resolved by
   * an operator and not yet ended.
   */
  async unchangedSince(before: Date, limit: number): Promise<readonly { accountId: string; invoiceId: string }[]> {
    const { rows } = await this.pool.query<UnfinishedRecord>({ ...unchangedSince, values: [before, limit] });
    return rows.map(({ id, companyId, environment }) => ({
      accountId: accountIdOf(companyId, environment),
      invoiceId: id,
    }));
  }

  /** Live invoices that can still be paid at other addresses than these, where the payment would not be seen. */
  async awaitingElsewhere(addresses: readonly string[], now = new Date()): Promise<readonly AwaitedPayments[]> {
    const { rows } = await this.pool.query<AwaitedPayments>({ ...awaitingElsewhere, values: [addresses, now] });
    return rows;
  }
}
