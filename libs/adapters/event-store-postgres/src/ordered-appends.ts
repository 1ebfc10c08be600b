import { AppendOutcomeUnknown, EventStoreUnreachable, type RecordedEvent } from '@florin/event-sourcing';
import { Client, type ClientConfig } from 'pg';
import { isRevisionConflict } from './revision-conflict';

const statement = {
  name: 'append-copied',
  text: 'SELECT event_store.append($1::text[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], false)',
};

/**
 * Appends events of another log in its order, one statement for all events of a call. The database accepts this while its
 * events are in another store.
 */
export class OrderedAppends {
  private client: Client | undefined;

  constructor(private readonly connection: ClientConfig) {}

  async append(events: readonly RecordedEvent[]): Promise<void> {
    const client = await this.connected();
    const column = <Key extends keyof RecordedEvent>(key: Key): RecordedEvent[Key][] =>
      events.map((event) => event[key]);
    const columns = [
      column('stream'),
      column('revision'),
      column('id'),
      column('type'),
      column('data'),
      column('metadata'),
    ];
    const firsts = firstOfEachStream(events).filter(({ revision }) => revision > 0);
    const required = [firsts.map(({ stream }) => stream), firsts.map(({ revision }) => revision - 1)];
    try {
      await client.query({ ...statement, values: [...columns, ...required] });
    } catch (error) {
      if (isRevisionConflict(error)) throw new AppendOutcomeUnknown(error);
      await this.close();
      throw new AppendOutcomeUnknown(error);
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private async connected(): Promise<Client> {
    if (this.client !== undefined) return this.client;
    const client = new Client({ ...this.connection, statement_timeout: 60_000 });
    client.on('error', () => (this.client = undefined));
    try {
      await client.connect();
      await client.query(`SET florin.log_copy = 'on'`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw new EventStoreUnreachable(error);
    }
    this.client = client;
    return client;
  }
}

function firstOfEachStream(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const seen = new Set<string>();
  return events.filter(({ stream }) => !seen.has(stream) && seen.add(stream));
}
