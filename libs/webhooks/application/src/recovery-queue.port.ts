export interface RecoveryStepRequest {
  readonly now: Date;
  /** The maximum number of events to check. */
  readonly pageSize: number;
  /** The maximum number of pending deliveries of one endpoint that recoveries have created. */
  readonly maxPending: number;
  /** The maximum number of deliveries that recoveries add for one endpoint in a second. */
  readonly perSecond: number;
  /** Earlier events are skipped, because it may be unknown whether they were delivered. */
  readonly oldest?: Date;
}

/**
 * The requested recoveries, at most one per endpoint. Several replicas share the queue. A recovery ends when its endpoint is
 * disabled or deleted.
 */
export interface RecoveryQueue {
  /**
   * Executes one step of the recovery that has waited longest: queues the missed events of one page and moves the cursor, in
   * one transaction. Returns false if no step is due. An event has at most one delivery by recoveries per endpoint.
   */
  step(request: RecoveryStepRequest): Promise<boolean>;
}

export const RECOVERY_QUEUE = Symbol('RecoveryQueue');
