import type { Pool } from 'pg';

/** The rows of one completed operation, which generated ones are copies of. */
export interface Template {
  /** Its events are all those after this position. */
  readonly after: string;
  readonly companyId: string;
  readonly operationId: string;
  readonly cardId: string;
}

const otherCompanies = 1_000;
/** Every tenth operation is of the company of the template, so it is by far the largest. */
const ownShare = 10;
const operationsPerBlock = 50_000;

/**
 * Grows the log and the read models with copies of one operation, each with its own ids, written by the database itself. The copies
 * have no valid hash chain; nothing that is measured reads their contents.
 */
export class GeneratedHistory {
  private operations = 0;

  private constructor(
    private readonly pool: Pool,
    private readonly template: Template,
    private readonly eventsPerOperation: number,
  ) {}

  static async create(pool: Pool, template: Template): Promise<GeneratedHistory> {
    await pool.query(`
      CREATE UNLOGGED TABLE template_events AS
      SELECT row_number() OVER (ORDER BY position) AS ordinal, split_part(stream, '-', 1) AS category, type, packed,
        row_number() OVER (PARTITION BY stream ORDER BY position) - 1 AS revision,
        count(*) OVER (PARTITION BY stream) AS in_stream
      FROM event_store.events WHERE position > ${BigInt(template.after)}`);
    const { companyId, operationId, cardId } = template;
    const conditions = {
      operations: `read_models.operations WHERE id = '${operationId}'`,
      cards: `read_models.cards WHERE id = '${cardId}'`,
      account_entries: `read_models.account_entries WHERE company_id = '${companyId}' AND reference = '${operationId}'`,
      compact_events: `webhooks.compact_events WHERE object_id = '${operationId}'`,
    };
    for (const [name, rows] of Object.entries(conditions)) {
      await pool.query(`CREATE UNLOGGED TABLE template_${name} AS SELECT * FROM ${rows}`);
    }
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::integer AS count FROM template_events');
    return new GeneratedHistory(pool, template, rows[0]!.count);
  }

  /** The product must not run meanwhile. Afterwards its checkpoints are at the end, as if it had processed everything. */
  async growTo(events: number, progress: (message: string) => void): Promise<void> {
    const head = await this.head();
    const missing = Math.ceil((events - head) / this.eventsPerOperation);
    for (let done = 0; done < missing; done += operationsPerBlock) {
      await this.addBlock(Math.min(operationsPerBlock, missing - done));
      progress(`${await this.head()} of ${events} events generated`);
    }
    const position = await this.head();
    await this.pool.query('UPDATE event_store.subscription_shards SET position = $1', [position]);
    await this.pool.query('UPDATE webhooks.sent_up_to SET position = $1', [position]);
    progress('VACUUM ANALYZE');
    await this.pool.query('VACUUM ANALYZE');
  }

  private async head(): Promise<number> {
    const text = 'SELECT max(position)::float8 AS head FROM event_store.events';
    return (await this.pool.query<{ head: number }>(text)).rows[0]!.head;
  }

  private async addBlock(count: number): Promise<void> {
    const [first, last] = [this.operations, this.operations + count - 1];
    const { companyId } = this.template;
    const company = `CASE WHEN n % ${ownShare} = 0 THEN '${companyId}' ELSE md5('company' || n % ${otherCompanies})::uuid END`;
    const createdAt = `timestamptz '2024-01-01' + n * interval '0.2 seconds'`;
    const [operation, card] = [`md5('operation' || n)::uuid`, `md5('card' || n)::uuid`];
    const position = `${await this.head()} + (n - ${first}) * ${this.eventsPerOperation}`;
    const numbers = `generate_series(${first}, ${last}) AS n`;
    await this.pool.query(`
      INSERT INTO event_store.events (position, stream, revision, id, type, packed)
      SELECT ${position} + t.ordinal,
        CASE t.category
          WHEN 'account' THEN 'account-' || md5('company' || n % ${otherCompanies})::uuid || '-sandbox'
          WHEN 'operation' THEN 'operation-' || ${operation}
          ELSE t.category || '-' || md5(t.category || n)::uuid END,
        CASE t.category WHEN 'account' THEN n / ${otherCompanies} * t.in_stream ELSE 0 END + t.revision,
        md5(n || '/' || t.ordinal)::uuid, t.type, t.packed
      FROM ${numbers} CROSS JOIN template_events AS t ORDER BY 1`);
    await this.copy('read_models', 'operations', numbers, {
      ...{ id: operation, company_id: company, card_id: card, created_at: createdAt, updated_at: createdAt },
    });
    await this.copy('read_models', 'cards', numbers, {
      ...{ id: card, company_id: company, holder_id: `md5('holder' || n)::uuid`, created_at: createdAt },
      card_reference: `md5('reference' || n)`,
    });
    await this.copy('read_models', 'account_entries', numbers, {
      ...{ company_id: company, created_at: createdAt, sequence: `1000000 + n * 10 + t.sequence` },
      reference: `${operation}::text`,
      id: `md5('entry' || n || '/' || t.sequence)::uuid`,
    });
    await this.copy('webhooks', 'compact_events', numbers, {
      ...{ company_id: company, object_id: operation, position: `${position} + 1 + t.position % 10` },
      // It begins with the time. Old ones would be purged.
      id: `(left(replace(t.id::text, '-', ''), 12) || left(md5(n || t.type::text), 20))::uuid`,
    });
    this.operations += count;
  }

  private async copy(
    schema: string,
    name: string,
    numbers: string,
    replaced: Readonly<Record<string, string>>,
  ): Promise<void> {
    const table = `${schema}.${name}`;
    const { rows } = await this.pool.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    );
    const names = rows.map((column) => `"${column.name}"`).join(', ');
    const values = rows.map((column) => replaced[column.name] ?? `t."${column.name}"`).join(', ');
    await this.pool.query(
      `INSERT INTO ${table} (${names}) SELECT ${values} FROM ${numbers} CROSS JOIN template_${name} AS t`,
    );
  }
}
