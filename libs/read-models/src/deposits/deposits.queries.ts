import { POOL } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { isUuid } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { invoicesProjection } from '../invoices/invoices.projection';
import { newestFirstSql, type Page, pageValues } from '../keyset-page';
import { depositColumns, type DepositRecord, depositsWithOwners, depositView } from './deposit-record';
import { depositsProjection } from './deposits.projection';
import type { DepositFilter, DepositView } from './deposits.views';

const findDeposit = {
  name: 'find-deposit',
  text: `SELECT ${depositColumns} FROM (${depositsWithOwners}) AS deposits WHERE id = $1`,
};

const listDeposits = {
  name: 'list-deposits',
  text: `
  SELECT ${depositColumns} FROM (${depositsWithOwners}) AS deposits
  WHERE ($1::text IS NULL OR status = $1) ${newestFirstSql('block_time', 2)}`,
};

/** For operators. Every result includes all writes that were acknowledged before the call. */
@Injectable()
export class DepositQueries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find(id: string): Promise<DepositView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp();
    const { rows } = await this.pool.query<DepositRecord>({ ...findDeposit, values: [id] });
    return rows.map(depositView)[0];
  }

  /** Newest first, by block time. */
  async list({ status }: DepositFilter, page: Page): Promise<readonly DepositView[]> {
    await this.waitUntilCaughtUp();
    const { rows } = await this.pool.query<DepositRecord>({ ...listDeposits, values: [status, ...pageValues(page)] });
    return rows.map(depositView);
  }

  private async waitUntilCaughtUp(): Promise<void> {
    const readModels = [depositsProjection, invoicesProjection];
    await Promise.all(readModels.map(({ name }) => this.readYourWrites.waitUntilCaughtUp(name)));
  }
}
