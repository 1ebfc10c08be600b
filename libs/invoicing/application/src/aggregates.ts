import {
  CLOCK,
  type CommandContext,
  CommandHandler,
  EVENT_STORE,
  type EventStore,
  type ReplyOf,
  SNAPSHOT_STORE,
  type SnapshotStore,
} from '@florin/event-sourcing';
import { addressAggregate, type CloseClaims, invoiceAggregate } from '@florin/invoicing-domain';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';

/** For what may rest on anything that was ever true: acting on it again does no harm. */
export const anyAgeMs = Infinity;

/** For what has to rest on the store as it is now. */
export const freshMs = 0;

/** One stream for all invoices of an account. */
@Injectable()
export class Invoices extends CommandHandler<typeof invoiceAggregate> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super(invoiceAggregate, { store, clock });
  }
}

@Injectable()
export class Addresses extends CommandHandler<typeof addressAggregate> {
  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(SNAPSHOT_STORE) snapshots: SnapshotStore,
    @Inject(CLOCK) clock: Clock,
  ) {
    super(addressAggregate, { store, snapshots, clock });
  }

  /** That there is nothing to close is believed only of what is stored now: another replica may have taken the claim. */
  async close(command: CloseClaims, context: CommandContext): Promise<ReplyOf<typeof addressAggregate>> {
    const { address } = command.data;
    await this.read(address, freshMs, () => undefined);
    return this.handle(address, command, context);
  }
}
