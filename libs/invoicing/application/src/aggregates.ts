import {
  CLOCK,
  CommandHandler,
  EVENT_STORE,
  type EventStore,
  SNAPSHOT_STORE,
  type SnapshotStore,
} from '@florin/event-sourcing';
import { addressAggregate, invoiceAggregate } from '@florin/invoicing-domain';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';

/** Accepts any cached state, for idempotent actions. */
export const anyCacheAgeMs = Infinity;

/** Requires the current state of the store. */
export const noCacheMs = 0;

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
}
