export interface PurgeRequest {
  /** Only older rows are purged. */
  readonly before: Date;
  /** The maximum number of rows of each table. */
  readonly limit: number;
}

/** Purges old webhook events and deliveries with their attempts. */
export interface WebhookRetention {
  /**
   * Purges one batch and returns whether there may be more. A pending delivery and its event are never purged. Does nothing
   * while another replica purges or while the events are rebuilt.
   */
  purge(request: PurgeRequest): Promise<boolean>;
}

export const WEBHOOK_RETENTION = Symbol('WebhookRetention');
