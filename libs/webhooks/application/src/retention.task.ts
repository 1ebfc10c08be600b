import { CLOCK, PeriodicTask } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_RETENTION, type WebhookRetention } from './webhook-retention.port';
import { oldestRetained, WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks-options';

/** Rows per statement. */
const batchSize = 500;
/** Limits the duration of a tick, which a shutdown awaits. */
const maxBatchesPerTick = 200;

/** Purges webhook events and deliveries that are older than the configured time, in small batches. */
@Injectable()
export class RetentionTask extends PeriodicTask {
  constructor(
    @Inject(WEBHOOK_RETENTION) private readonly retention: WebhookRetention,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {
    super(options.retention?.everyMs ?? 60_000);
  }

  override async tick(): Promise<void> {
    const before = oldestRetained(this.options, this.clock.now());
    if (before === undefined) return;
    try {
      for (let batches = 0; batches < maxBatchesPerTick; batches++) {
        if (!(await this.retention.purge({ before, limit: batchSize }))) return;
      }
    } catch (error) {
      this.options.log.warn({ err: error }, 'Cannot purge old webhook events; retrying');
    }
  }
}
