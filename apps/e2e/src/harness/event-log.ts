import { ownerUrlOf } from '@florin/dev-platform';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { formatMoney, parseMoney, sha256 } from '@florin/kernel';
import { Pool } from 'pg';
import type { RunningFlorin } from './running-florin';
import { type NewStreams, settledInvoice } from './settled-invoice';

/** The address of the database server that a Florin has started, as the owner. */
export function databaseUrlOf(florin: RunningFlorin): string {
  return ownerUrlOf(florin.dataDirectory);
}

/** The variables with which another Florin uses the database and the vault key of this one. */
export function databaseOf(florin: RunningFlorin): { readonly DATABASE_URL: string; readonly VAULT_KEY_FILE: string } {
  return { DATABASE_URL: databaseUrlOf(florin), VAULT_KEY_FILE: join(florin.dataDirectory, 'vault.key') };
}

export interface StoredEvent {
  readonly stream: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** Direct access to the database, for what no API shows. */
export class EventLog {
  private readonly pool: Pool;

  constructor(private readonly florin: RunningFlorin) {
    this.pool = new Pool({ connectionString: databaseUrlOf(florin), max: 1 });
    // A kill of Florin ends the connections.
    this.pool.on('error', () => undefined);
  }

  async query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, values)).rows;
  }

  /** The event types of a stream, in order. */
  async typesIn(stream: string): Promise<string[]> {
    const sql = 'SELECT type FROM event_store.events WHERE stream = $1 ORDER BY revision';
    return (await this.query<{ type: string }>(sql, stream)).map(({ type }) => type);
  }

  /** All events with their texts, or those of one stream. */
  async events(stream?: string): Promise<readonly StoredEvent[]> {
    const store = new PostgresEventStore({ connectionString: databaseUrlOf(this.florin) });
    const found: StoredEvent[] = [];
    try {
      if (stream !== undefined) for await (const page of store.readStream(stream)) found.push(...page);
      for (let after = 0n, isLast = stream !== undefined; !isLast;) {
        const page = await store.readAll({ after });
        found.push(...page.events);
        ({ readTo: after, isLast } = page);
      }
      return found;
    } finally {
      await store.close();
    }
  }

  /** Stores a deposit as the first event of the live account, without the invoice and the payment behind it. */
  async depositLive(companyId: string, amount: string): Promise<void> {
    await this.begin(`account-${companyId}-live`, [amount]);
  }

  /** Stores a live deposit together with the invoice, the payment and the block behind it. No fee is taken. */
  async settleLiveInvoice(companyId: string, amount: string): Promise<void> {
    await this.append(settledInvoice(companyId, amount));
  }

  /** Stores one deposit per amount as the first events of an account, in the format of the ledger. */
  async begin(stream: string, amounts: readonly string[]): Promise<void> {
    let available = 0n;
    const deposits = amounts.map((amount) => {
      available += parseMoney(amount);
      const id = randomUUID();
      const facts = { depositId: id, reference: id, amount, fee: '0.00', description: 'Deposit', fingerprint: id };
      return ['FundsDeposited', { ...facts, after: { available: formatMoney(available), held: '0.00' } }] as const;
    });
    await this.append({ [stream]: deposits });
  }

  /** Stores the first events of streams, with their hash chains. */
  private async append(streams: NewStreams): Promise<void> {
    const recordedAt = new Date().toISOString();
    const events = Object.entries(streams).flatMap(([stream, facts]) => {
      let hash = '';
      return facts.map(([type, content], revision) => {
        const id = randomUUID();
        const data = JSON.stringify(content);
        const plain = JSON.stringify({ schemaVersion: 1, recordedAt, correlationId: id, causationId: id });
        hash = sha256(`${hash}\n${stream}\n${revision}\n${id}\n${type}\n${plain}\n${data}`);
        return { stream, revision, id, type, data, metadata: `${plain.slice(0, -1)},"hash":"${hash}"}` };
      });
    });
    const columns = (['stream', 'revision', 'id', 'type', 'data', 'metadata'] as const).map((name) => {
      return events.map((event) => event[name]);
    });
    await this.query(`SELECT event_store.append($1, $2, $3::uuid[], $4, $5, $6, '{}', '{}', true)`, ...columns);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
