import { AppendOutcomeUnknown, EventStoreUnreachable, type RecordedEvent } from '@florin/event-sourcing';
import { Client, type ClientConfig } from 'pg';
import { EventPacker } from './packing/pack-event';
import { isRevisionConflict } from './revision-conflict';

/** The store assigns the positions. */
export type OrderedEvent = Omit<RecordedEvent, 'position'>;

const statement = {
  name: 'append-copied',
  text: `SELECT event_store.append_events($1::text[], $2::int[], $3::uuid[], $4::text[], '{}', '{}', $5::bytea[], $6::text[], $7::int[], false)`,
};

/**
 * Appends events of another log in its order, one statement for all events of a call. The database accepts this while its
 * events are in another store.
 */
export class OrderedAppends {
  private client: Client | undefined;
  private readonly packer = new EventPacker();

  constructor(private readonly connection: ClientConfig) {}

  async append(events: readonly OrderedEvent[]): Promise<void> {
    const client = await this.connected();
    const column = <Key extends keyof OrderedEvent>(key: Key): OrderedEvent[Key][] => events.map((event) => event[key]);
    const columns = [
      column('stream'),
      column('revision'),
      column('id'),
      column('type'),
      // Every call of `pack` uses the same buffer.
      events.map((event) => Buffer.from(this.packer.pack(event.stream, event))),
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

function firstOfEachStream(events: readonly OrderedEvent[]): readonly OrderedEvent[] {
  const seen = new Set<string>();
  return events.filter(({ stream }) => !seen.has(stream) && seen.add(stream));
}
