import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@florin/kernel';
import { Pool } from 'pg';
import type { Product } from './product';

/** How another process reaches the database server that a product has started for itself. */
export function databaseUrlOf(product: Product): string {
  const socket = join(realpathSync(join(product.dataDirectory, 'postgres')), 'socket');
  return `postgres://florin@localhost/florin?host=${encodeURIComponent(socket)}`;
}

/** The product's database seen from behind, for what no API shows, or must not show. */
export class EventLog {
  private readonly pool: Pool;

  constructor(product: Product) {
    this.pool = new Pool({ connectionString: databaseUrlOf(product), max: 1 });
    // A product that is killed takes its server with it.
    this.pool.on('error', () => undefined);
  }

  async query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, values)).rows;
  }

  /** Types of a stream's events, in order. */
  async typesIn(stream: string): Promise<string[]> {
    const sql = 'SELECT type FROM event_store.events WHERE stream = $1 ORDER BY revision';
    return (await this.query<{ type: string }>(sql, stream)).map(({ type }) => type);
  }

  /**
   * Gives a company live money, which no client can do without paying: the deposit that a settled payment would leave,
   * as the very first event of the account.
   */
  async depositLive(companyId: string, amount: string): Promise<void> {
    const [id, stream, type] = [randomUUID(), `account-${companyId}-live`, 'FundsDeposited'];
    const after = { available: amount, held: '0.00' };
    const deposit = {
      depositId: id,
      reference: id,
      amount,
      fee: '0.00',
      description: 'Deposit',
      fingerprint: id,
      after,
    };
    const data = JSON.stringify(deposit);
    const recordedAt = new Date().toISOString();
    const plain = JSON.stringify({ schemaVersion: 1, recordedAt, correlationId: id, causationId: id });
    const hash = sha256(`\n${stream}\n0\n${id}\n${type}\n${plain}\n${data}`);
    const metadata = `${plain.slice(0, -1)},"hash":"${hash}"}`;
    await this.query(
      `SELECT event_store.append(ARRAY[$1], ARRAY[0], ARRAY[$2::uuid], ARRAY[$3], ARRAY[$4], ARRAY[$5], '{}', '{}', true)`,
      ...[stream, id, type, data, metadata],
    );
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
