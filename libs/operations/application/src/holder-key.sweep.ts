import { CLOCK, PeriodicTask } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { UNCONFIRMED_HOLDER_KEYS, type UnconfirmedHolderKeys } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { Holders, noCacheMs } from './aggregates';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';

const everyMs = 10 * 60_000;
/** Much longer than any command can be in progress: a command on the bus expires after 5 minutes. */
const unknownAfterMs = 24 * 60 * 60_000;
const maxKeysPerTick = 100;

/**
 * Settles the keys of registrations whose outcome was never known, because a process ended in between. The log decides:
 * the key of a registered holder is confirmed, and any other is deleted.
 */
@Injectable()
export class HolderKeySweep extends PeriodicTask {
  constructor(
    @Inject(UNCONFIRMED_HOLDER_KEYS) private readonly keys: UnconfirmedHolderKeys,
    private readonly holders: Holders,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {
    super(everyMs);
  }

  override async tick(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - unknownAfterMs);
    try {
      for (const { holderId, accountId } of await this.keys.unconfirmed(before, maxKeysPerTick)) {
        const isRegistered = await this.holders.read(accountId, noCacheMs, ({ holders }) => holders.has(holderId));
        if (isRegistered) await this.keys.confirm(holderId);
        else await this.keys.deleteUnconfirmed(holderId, before);
      }
    } catch (error) {
      this.options.log.warn({ err: error }, 'Cannot settle the keys of unknown registrations; retrying');
    }
  }
}
