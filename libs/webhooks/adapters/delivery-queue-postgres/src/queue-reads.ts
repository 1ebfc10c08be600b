import type { KeyWrapper } from '@florin/kernel';
import type { ClaimedDelivery, EndpointTarget } from '@florin/webhooks-application';
import { type CompactEvent, compactEventBody } from '@florin/webhooks-domain';
import type { Pool } from 'pg';
import type { EndpointClaim, QueuePosition } from './endpoint-claims';
import { readDue, targets, waitingEndpoints } from './queue-statements';
import { openSecret, secretContext, type StoredSecret } from './stored-secret';

/** An endpoint with waiting deliveries, due or not. */
export interface WaitingEndpoint {
  readonly id: string;
  /** When its first delivery is due. */
  readonly dueAt: Date;
  readonly claimedUntil: Date | null;
}

export type DueDelivery = QueuePosition & Pick<ClaimedDelivery, 'eventId' | 'attempts' | 'body'>;

/** A row of `readDue`: the event has a body or is compact. */
type DueRow = Omit<DueDelivery, 'id' | 'body'> & {
  readonly nth: number;
  readonly deliveryId: string;
} & ({ readonly body: string } | (CompactEvent & { readonly body: null }));

export type StoredTarget = { readonly id: string } & EndpointTarget &
  Pick<ClaimedDelivery, 'accountId' | 'environment'>;

/** A row of `targets`. A secret is either plain, or wrapped with a vault key. */
interface TargetRow extends Omit<StoredTarget, 'secrets'> {
  readonly secrets: readonly SecretColumns[];
}

interface SecretColumns {
  readonly id: string;
  readonly secret: string | null;
  /** In hex. */
  readonly wrapped: string | null;
  readonly wrappedBy: string | null;
}

export interface SecretReading {
  readonly keys: KeyWrapper;
  /** Called with an endpoint whose secrets cannot be opened. Its deliveries wait. */
  readonly onUnreadable: (endpointId: string, error: unknown) => void;
}

/** The maximum number of deliveries to read for a claim. */
export interface DueQuery {
  readonly claimed: EndpointClaim;
  readonly capacity: number;
}

export class QueueReads {
  constructor(
    private readonly pool: Pool,
    private readonly secretReading: SecretReading,
  ) {}

  /** Ordered by id; all endpoints without a limit. */
  async waiting(after: string, limit?: number): Promise<readonly WaitingEndpoint[]> {
    const query = { name: 'webhook-endpoints-waiting', text: waitingEndpoints, values: [after, limit] };
    return (await this.pool.query<WaitingEndpoint>(query)).rows;
  }

  /** The due deliveries of each query, the earliest first. */
  async due(queries: readonly DueQuery[], now: Date): Promise<readonly (readonly DueDelivery[])[]> {
    const values = [
      queries.map(({ claimed }) => claimed.endpointId),
      queries.map(({ capacity }) => capacity),
      queries.map(({ claimed }) => new Date(claimed.after.dueAtMs)),
      queries.map(({ claimed }) => claimed.after.id),
      now,
    ];
    const query = { name: 'webhook-deliveries-due', text: readDue, values };
    const { rows } = await this.pool.query<DueRow>(query);
    const due: DueDelivery[][] = queries.map(() => []);
    for (const row of rows) due[row.nth - 1]!.push(dueDelivery(row));
    return due;
  }

  /** The endpoints that are enabled and have a secret that can be opened. */
  async targets(endpointIds: readonly string[], now: Date): Promise<ReadonlyMap<string, StoredTarget>> {
    const query = { name: 'webhook-targets', text: targets, values: [endpointIds, now] };
    const { rows } = await this.pool.query<TargetRow>(query);
    const opened = await Promise.all(rows.map((row) => this.open(row)));
    return new Map(opened.flatMap((target) => (target?.secrets.length ? [[target.id, target]] : [])));
  }

  private async open(row: TargetRow): Promise<StoredTarget | undefined> {
    const { keys, onUnreadable } = this.secretReading;
    try {
      const secrets = await Promise.all(
        row.secrets.map((columns) => openSecret(storedSecretOf(columns, row.id), keys)),
      );
      return { ...row, secrets };
    } catch (error) {
      onUnreadable(row.id, error);
      return undefined;
    }
  }
}

function dueDelivery(row: DueRow): DueDelivery {
  const { deliveryId: id, eventId, attempts, dueAtMs } = row;
  return { id, eventId, attempts, dueAtMs, body: row.body ?? compactEventBody(row as CompactEvent) };
}

function storedSecretOf({ id, secret, wrapped, wrappedBy }: SecretColumns, endpointId: string): StoredSecret {
  const bytes = wrapped === null ? Buffer.from(secret!) : Buffer.from(wrapped, 'hex');
  return { bytes, wrappedBy, context: secretContext(id, endpointId) };
}
