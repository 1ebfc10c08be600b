import { CLOCK, PeriodicTask } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { RECOVERY_QUEUE, type RecoveryQueue } from './recovery-queue.port';
import { oldestRetained, WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks-options';

/** Events per step. Small, so that a step delays the projection and other requests only briefly. */
const pageSize = 100;
/** Limits the duration of a tick, which a shutdown awaits. */
const maxStepsPerTick = 50;

/** Sends missed events again, one page of one endpoint after another, so that a large recovery delays no other. */
@Injectable()
export class RecoveryTask extends PeriodicTask {
  constructor(
    @Inject(RECOVERY_QUEUE) private readonly recoveries: RecoveryQueue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {
    super(options.recovery?.everyMs ?? 500);
  }

  override async tick(): Promise<void> {
    const { log, recovery } = this.options;
    const { maxPending = 1_000, perSecond = 100 } = recovery ?? {};
    try {
      for (let steps = 0; steps < maxStepsPerTick; steps++) {
        const now = this.clock.now();
        const oldest = oldestRetained(this.options, now);
        if (!(await this.recoveries.step({ now, pageSize, maxPending, perSecond, ...(oldest && { oldest }) }))) return;
      }
    } catch (error) {
      log.warn({ err: error }, 'Cannot recover webhook events; retrying');
    }
  }
}
