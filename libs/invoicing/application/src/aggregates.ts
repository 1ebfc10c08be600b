import {
  CLOCK,
  type CommandContext,
  CommandHandler,
  type CommandReply,
  EVENT_STORE,
  type EventStore,
  SNAPSHOT_STORE,
  type SnapshotStore,
} from '@florin/event-sourcing';
import {
  type AddressAnswer,
  addressAnswer,
  type AddressCommand,
  addressDecider,
  type AddressEvent,
  addressEventVersions,
  type AddressRefusal,
  type AddressState,
  type CloseClaims,
  currentAnswer,
  firstAnswer,
  type InvoiceAnswer,
  type InvoiceCommand,
  invoiceDecider,
  type InvoiceEvent,
  invoiceEventVersions,
  type InvoiceRefusal,
  type InvoicesState,
} from '@florin/invoicing-domain';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';

/** For what may rest on anything that was ever true: acting on it again does no harm. */
export const anyAgeMs = Infinity;

/** For what has to rest on the store as it is now. */
export const freshMs = 0;

/** One stream for all invoices of an account. Whoever opens one is answered as the first time. */
@Injectable()
export class Invoices extends CommandHandler<
  InvoicesState,
  InvoiceCommand,
  InvoiceEvent,
  InvoiceRefusal,
  InvoiceAnswer
> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    const answer = (state: InvoicesState, { type, data }: InvoiceCommand): InvoiceAnswer =>
      type === 'OpenInvoice' ? firstAnswer(state, data.invoiceId) : currentAnswer(state, data.invoiceId);
    super({ decider: invoiceDecider, versions: invoiceEventVersions, store, clock, answer });
  }
}

@Injectable()
export class Addresses extends CommandHandler<
  AddressState,
  AddressCommand,
  AddressEvent,
  AddressRefusal,
  AddressAnswer
> {
  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(SNAPSHOT_STORE) snapshots: SnapshotStore,
    @Inject(CLOCK) clock: Clock,
  ) {
    super({ decider: addressDecider, versions: addressEventVersions, store, snapshots, clock, answer: addressAnswer });
  }

  /** That there is nothing to close is believed only of what is stored now: another replica may have taken the claim. */
  async close(command: CloseClaims, context: CommandContext): Promise<CommandReply<AddressAnswer, AddressRefusal>> {
    const { address } = command.data;
    await this.read(address, freshMs, () => undefined);
    return this.handle(address, command, context);
  }
}
