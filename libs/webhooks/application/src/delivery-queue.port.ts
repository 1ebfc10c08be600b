import type { SendResult } from './webhook-sender.port';

/** Where an endpoint is sent to, and how, at the moment it was read. */
export interface Receiver {
  readonly url: string;
  /** All that sign at this moment, the newest first. */
  readonly secrets: readonly string[];
  /** Another one after every change of the endpoint. */
  readonly revision: number;
}

/**
 * One event on its way to one endpoint, which nobody else may send to until the claim ends. The receiver is that of the
 * moment of the claim, and may be another one when it is the delivery's turn.
 */
export interface ClaimedDelivery extends Receiver {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly accountId: string;
  readonly environment: 'sandbox' | 'live';
  /** The exact text that is sent. */
  readonly body: string;
  /** How many were made before. Whoever stores one more stores nothing when there have been others meanwhile. */
  readonly attempts: number;
  /** Tells this claim on the endpoint from any other, also of the same process. */
  readonly claim: string;
  readonly claimedUntil: Date;
}

export interface ClaimWish {
  readonly now: Date;
  readonly until: Date;
  readonly limit: number;
  /** How many of an endpoint's deliveries are wanted. */
  readonly roomOf: (endpointId: string) => number;
}

/** How an attempt has ended, and what becomes of the delivery. */
export interface Settlement {
  readonly delivery: ClaimedDelivery;
  readonly result: SendResult;
  readonly at: Date;
  readonly status: 'delivered' | 'pending' | 'failed';
  /** While it is pending. */
  readonly nextAttemptAt?: Date;
}

/** An endpoint that has acknowledged nothing since a time, though we have tried. */
export interface FailingEndpoint {
  readonly endpointId: string;
  readonly since: Date;
}

/**
 * What is to be sent, kept outside the event log: how a delivery goes is our own affair and changes many times. Several
 * replicas take from the same queue.
 */
export interface DeliveryQueue {
  /** Takes deliveries that are due, of every endpoint as many as there is room for, each endpoint for one claimant at a time. */
  claim(wish: ClaimWish): Promise<readonly ClaimedDelivery[]>;
  /** Those of the endpoints that may be sent to: they are enabled, not deleted, and have a secret to sign with. */
  receivers(endpointIds: readonly string[], now: Date): Promise<ReadonlyMap<string, Receiver>>;
  /**
   * Stores how attempts have ended. Where it fails it can be repeated: nothing is stored twice. Whoever has lost a claim
   * changes nothing, except that what was acknowledged is delivered, whoever sent it. Tells which of the endpoints
   * concerned have been failing before.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly FailingEndpoint[]>;
  /** Gives deliveries back that were not sent. Others get them as soon as nothing else of their endpoint is in hand. */
  release(deliveries: readonly ClaimedDelivery[]): Promise<void>;
  /** When the next delivery will be, or was, due at an endpoint that nobody has claimed. */
  nextDueAt(now: Date): Promise<Date | undefined>;
  /** Calls back when there may be something new, until the returned function is called. It may miss something. */
  listen(onNews: () => void): () => Promise<void>;
}

export const DELIVERY_QUEUE = Symbol('DeliveryQueue');
