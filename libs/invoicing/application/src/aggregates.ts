import {
  CLOCK,
  type CommandContext,
  CommandHandler,
  type CommandHandlerOptions,
  EVENT_STORE,
  eventCodec,
  type EventStore,
  type ReplyOf,
  SNAPSHOT_STORE,
  type SnapshotStore,
} from '@florin/event-sourcing';
import {
  addressAggregate,
  endedInvoice,
  evolveInvoice,
  type Invoice,
  invoiceAggregate,
  type InvoiceCommand,
  invoiceEventVersions,
} from '@florin/invoicing-domain';
import { assert, type Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';

/** Accepts any cached state, for idempotent actions. */
export const anyCacheAgeMs = Infinity;

/** Requires the current state of the store. */
export const noCacheMs = 0;

const invoiceCodec = eventCodec(invoiceEventVersions);

/** Executes commands about invoices that the state has forgotten, too. */
export class InvoiceHandler extends CommandHandler<typeof invoiceAggregate> {
  private readonly store: EventStore;

  constructor(aggregate: typeof invoiceAggregate, options: CommandHandlerOptions) {
    super(aggregate, options);
    this.store = options.store;
  }

  override async handle(
    accountId: string,
    command: InvoiceCommand,
    context: CommandContext,
  ): Promise<ReplyOf<typeof invoiceAggregate>> {
    const { invoiceId } = command.data;
    let reply = await super.handle(accountId, command, context);
    while (!reply.ok && reply.refusal.refused === 'invoice_forgotten') {
      const invoice = endedInvoice(await this.readFromLog(accountId, invoiceId));
      // If it has not ended, another replica has changed it, and the state is outdated.
      const again = invoice && ({ type: 'RecallInvoice', data: { accountId, invoiceId, invoice, command } } as const);
      reply = await super.handle(accountId, again ?? command, context);
    }
    return reply;
  }

  /** Reads one invoice, also if the state has forgotten it. */
  async readInvoice<View>(
    accountId: string,
    invoiceId: string,
    view: (invoice: Invoice | undefined) => View,
  ): Promise<View> {
    const known = await this.read(accountId, noCacheMs, ({ invoices, forgotten }) =>
      forgotten.has(invoiceId) ? undefined : { view: view(invoices.get(invoiceId)) },
    );
    return known === undefined ? view(await this.readFromLog(accountId, invoiceId)) : known.view;
  }

  /** Reads the whole stream. That takes long, but only operators and payments from the chain cause it. */
  private async readFromLog(accountId: string, invoiceId: string): Promise<Invoice> {
    let invoice: Invoice | undefined;
    for await (const page of this.store.readStream(`${invoiceAggregate.category}-${accountId}`)) {
      for (const recorded of page) {
        const { event } = invoiceCodec.decode(recorded);
        if (event.data.invoiceId === invoiceId) invoice = evolveInvoice(invoice, event);
      }
    }
    assert(invoice !== undefined, () => `the events of invoice ${invoiceId} are in its stream`);
    return invoice;
  }
}

/** One stream for all invoices of an account. */
@Injectable()
export class Invoices extends InvoiceHandler {
  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(SNAPSHOT_STORE) snapshots: SnapshotStore,
    @Inject(CLOCK) clock: Clock,
  ) {
    super(invoiceAggregate, { store, snapshots, clock });
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
