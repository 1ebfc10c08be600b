import {
  AppendOutcomeUnknown,
  EventStoreUnreachable,
  EventStoreMismatch,
  isStoreMismatch,
  type KnownStore,
  type Position,
} from '@florin/event-sourcing';
import { Client, type ClientConfig } from 'pg';
import { isMovedLog, isRevisionConflict } from './revision-conflict';
import { requireKnown } from './require-known';
import { BinaryArray, byteaType, integerType, textType, uuidType } from './binary-array';
import type { KnownRevisions } from './known-revisions';
import { EventPacker } from './packing/pack-event';
import type { PendingAppend } from './pending-append';

const appendStatement = {
  name: 'append',
  text: `SELECT event_store.append_events($1, $2, $3, $4, '{}', '{}', $5, $6, $7, $8)`,
  rowMode: 'array' as const,
};

const movedLog =
  'The log of this database was moved to another event store by `florin log copy`. Set EVENT_STORE to it, and restart Florin.';

/** `pg` sets it on the client, but its types omit it. */
interface ServerSession {
  readonly processID?: number | null;
}

/** A separate connection for appends: one batch at a time, one round trip per batch. */
export class WriteConnection {
  private client: (Client & ServerSession) | undefined;
  private readonly streams = new BinaryArray(textType);
  private readonly revisions = new BinaryArray(integerType);
  private readonly ids = new BinaryArray(uuidType);
  private readonly types = new BinaryArray(textType);
  private readonly packer = new EventPacker();
  private readonly packed = new BinaryArray(byteaType);
  private readonly requiredStreams = new BinaryArray(textType);
  private readonly requiredRevisions = new BinaryArray(integerType);
  private readonly parameters = [
    this.streams,
    this.revisions,
    this.ids,
    this.types,
    this.packed,
    this.requiredStreams,
    this.requiredRevisions,
  ];

  constructor(
    private readonly config: ClientConfig,
    private readonly known: KnownRevisions,
    private readonly store: KnownStore,
  ) {}

  /** The server's process id of this connection, while it is connected. */
  get processId(): number | undefined {
    return this.client?.processID ?? undefined;
  }

  async connect(): Promise<void> {
    if (this.client !== undefined) return;
    const client = new Client(this.config);
    const forget = (): void => {
      if (this.client === client) this.client = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      await requireKnown(this.store, client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw isStoreMismatch(error) ? error : new EventStoreUnreachable(error);
    }
    this.client = client;
  }

  /** Stores the whole batch and returns the position of its last event. A revision conflict is rethrown unchanged. */
  async append(batch: readonly PendingAppend[], announce: boolean): Promise<Position> {
    const { client } = this;
    if (client === undefined) throw new EventStoreUnreachable(new Error('The connection was lost'));
    this.encode(batch);
    const { end } = this.store;
    try {
      const values = [...this.parameters.map((array) => array.encoded()), announce];
      const { rows } = await client.query<[string]>({ ...appendStatement, values });
      const last = BigInt(rows[0]![0]);
      // A pooler may have connected to another database: then the batch is there, and is not acknowledged.
      this.store.requireEnd(last - BigInt(countOf(batch)), end);
      this.store.saw(last);
      return last;
    } catch (error) {
      if (isRevisionConflict(error)) throw error;
      if (isMovedLog(error)) throw new EventStoreMismatch(movedLog);
      // The state of this connection is unknown, so the next batch gets a new one.
      await this.disconnect();
      throw isStoreMismatch(error) ? error : new AppendOutcomeUnknown(error);
    }
  }

  async disconnect(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private encode(batch: readonly PendingAppend[]): void {
    for (const array of this.parameters) array.clear();
    for (const { stream, expectedRevision, events } of batch) {
      if (expectedRevision > (this.known.get(stream) ?? -1)) {
        this.requiredStreams.addText(stream);
        this.requiredRevisions.addInteger(expectedRevision);
      }
      let revision = expectedRevision;
      for (const event of events) {
        revision += 1;
        this.streams.addText(stream);
        this.revisions.addInteger(revision);
        this.ids.addUuid(event.id);
        this.types.addText(event.type);
        this.packed.addBytes(this.packer.pack(stream, event));
      }
    }
  }
}

function countOf(batch: readonly PendingAppend[]): number {
  return batch.reduce((sum, { events }) => sum + events.length, 0);
}
