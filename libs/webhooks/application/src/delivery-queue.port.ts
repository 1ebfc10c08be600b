import type { SendResult } from './webhook-sender.port';

/** The URL and secrets of an endpoint at the moment it was read. */
export interface EndpointTarget {
  readonly url: string;
  /** All active secrets, the newest first. */
  readonly secrets: readonly string[];
  /** Changes with every change of the endpoint. */
  readonly revision: number;
}

/**
 * A delivery of one event to one endpoint, claimed by this replica until `claimedUntil`. Its target is the one at the time
 * of the claim and may have changed by the time of the attempt.
 */
export interface ClaimedDelivery extends EndpointTarget {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly accountId: string;
  readonly environment: 'sandbox' | 'live';
  /** The exact text that is sent. */
  readonly body: string;
  /** The number of earlier attempts. An attempt record is ignored if the stored number differs. */
  readonly attempts: number;
  /** Identifies this claim on the endpoint. */
  readonly claim: string;
  readonly claimedUntil: Date;
}

export interface ClaimRequest {
  readonly now: Date;
  readonly until: Date;
  readonly limit: number;
  /** The maximum number of deliveries to claim for an endpoint. */
  readonly capacityOf: (endpointId: string) => number;
}

/** The result of an attempt and the resulting status of the delivery. */
export interface AttemptRecord {
  readonly delivery: ClaimedDelivery;
  readonly result: SendResult;
  readonly at: Date;
  readonly status: 'delivered' | 'pending' | 'failed';
  /** Only while the delivery is pending. */
  readonly nextAttemptAt?: Date;
}

/** An endpoint that has acknowledged no attempt since a time. */
export interface FailingEndpoint {
  readonly endpointId: string;
  readonly since: Date;
}

/**
 * The deliveries to send. They are kept outside the event log because their status changes many times and is no business
 * fact. Several replicas share the queue.
 */
export interface DeliveryQueue {
  /** Claims due deliveries up to the capacity of each endpoint. Only one replica at a time claims an endpoint. */
  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /** The targets of those endpoints that are enabled, not deleted and have a secret. */
  targets(endpointIds: readonly string[], now: Date): Promise<ReadonlyMap<string, EndpointTarget>>;
  /**
   * Stores the results of attempts. Idempotent. A replica that has lost its claim changes nothing, except that an
   * acknowledged delivery is always stored as delivered. Returns those endpoints that were failing before.
   */
  recordAttempts(records: readonly AttemptRecord[]): Promise<readonly FailingEndpoint[]>;
  /** Releases deliveries that were not sent. They can be claimed again once this replica has none of the endpoint left. */
  release(deliveries: readonly ClaimedDelivery[]): Promise<void>;
  /** When the next delivery is due at an endpoint without a claim. */
  nextDueAt(now: Date): Promise<Date | undefined>;
  /** Calls back when deliveries may have been added, until the returned function is called. Notifications can be lost. */
  listen(onDeliveriesAdded: () => void): () => Promise<void>;
}

export const DELIVERY_QUEUE = Symbol('DeliveryQueue');
