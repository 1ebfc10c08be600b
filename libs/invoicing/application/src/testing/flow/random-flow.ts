import type { CommandReply } from '@florin/event-sourcing';
import type { InvoiceAnswer, RequestInvoice } from '@florin/invoicing-domain';
import { formatUsdt, parseUsdt } from '@florin/kernel';
import * as fc from 'fast-check';
import type { FlowWorld } from './flow-world';

export type Reply = CommandReply<InvoiceAnswer>;

const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('request' as const), company: fc.nat(2), key: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('pay-sandbox' as const), which: fc.nat() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant('transfer' as const),
      which: fc.nat(),
      off: fc.constantFrom(0n, 0n, 0n, 1n, -1n),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('block' as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('wait' as const), minutes: fc.constantFrom(1, 30, 61) }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('resolve-invoice' as const), which: fc.nat(), yes: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('resolve-deposit' as const), which: fc.nat(), yes: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('redeliver' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('crash' as const) }) },
);

type Act = typeof act extends fc.Arbitrary<infer Each> ? Each : never;

export interface RandomFlow {
  readonly seed: number;
  readonly replicas: number;
  /** Each with the process it is sent to, and how many turns everybody gets after it. */
  readonly acts: readonly (Act & { readonly to: number; readonly turns: number })[];
}

export const randomFlow: fc.Arbitrary<RandomFlow> = fc.record({
  seed: fc.nat(),
  replicas: fc.integer({ min: 1, max: 2 }),
  acts: fc.array(
    fc.tuple(act, fc.nat(1), fc.nat(40)).map(([each, to, turns]) => ({ ...each, to, turns })),
    { minLength: 1, maxLength: 25 },
  ),
});

export interface Asked {
  readonly command: RequestInvoice;
  reply?: Reply;
}

/** Plays a random flow: nobody waits for anybody, and whoever dies says nothing any more. */
export class FlowPlayer {
  readonly asked: Asked[] = [];
  /** Invoices that somebody was told are completed. */
  readonly acknowledged: string[] = [];
  private requests = 0;

  constructor(
    private readonly world: FlowWorld,
    private readonly flow: RandomFlow,
  ) {}

  async play(): Promise<void> {
    // Whoever dies while it is still being started has taken part in nothing.
    await this.world.turns.grant(0);
    for (const each of this.flow.acts) {
      await this.perform(each, each.to);
      await this.world.turns.grant(each.turns);
    }
  }

  private async perform(each: Act, to: number): Promise<void> {
    switch (each.act) {
      case 'request':
        return this.request(each.company, each.key, to);
      case 'pay-sandbox':
        return this.paySandbox(each.which, to);
      case 'transfer':
        return this.transfer(each.which, each.off, each.times);
      case 'block':
        return this.world.mine();
      case 'wait':
        return this.world.clock.advance(each.minutes * 60_000);
      case 'resolve-invoice':
        return this.resolveInvoice(each.which, each.yes, to);
      case 'resolve-deposit':
        return this.resolveDeposit(each.which, each.yes, to);
      case 'redeliver':
        return this.world.redeliver(each.which, to);
      case 'crash':
        return this.world.crash(to);
    }
  }

  /** The same key is the same invoice, and asks for the same. */
  private request(company: number, key: number, to: number): void {
    const environment = company === 0 ? 'sandbox' : 'live';
    const accountId = `account${company}`;
    const ids = { invoiceId: `${accountId}-${key}`, companyId: `company${company}`, environment, accountId } as const;
    const command: RequestInvoice = {
      type: 'RequestInvoice',
      data: { ...ids, amount: `${10 + key}.00`, fingerprint: `f${key}` },
    };
    const asked: Asked = { command };
    this.asked.push(asked);
    void this.world
      .send<Reply>(accountId, command, to)
      .then((reply) => (asked.reply = reply))
      .catch(() => undefined);
  }

  private async paySandbox(which: number, to: number): Promise<void> {
    const { invoices } = await this.world.log();
    const invoice = oneOf(
      [...invoices.values()].filter(({ terms }) => terms.environment === 'sandbox'),
      which,
    );
    if (invoice === undefined) return;
    const { accountId, invoiceId } = invoice.terms;
    this.send(accountId, { type: 'PaySandboxInvoice', data: { accountId, invoiceId } }, to);
  }

  private async transfer(which: number, off: bigint, times: number): Promise<void> {
    const { invoices } = await this.world.log();
    const payable = [...invoices.values()].flatMap(({ payment, terms }) => {
      return payment === undefined || terms.environment === 'sandbox' ? [] : [payment];
    });
    const payment = oneOf(payable, which);
    if (payment === undefined) return;
    const transfer = { to: payment.address, amount: formatUsdt(parseUsdt(payment.payAmount) + off) };
    await this.world.mine(...Array.from({ length: times }, () => transfer));
  }

  private async resolveInvoice(which: number, yes: boolean, to: number): Promise<void> {
    const { invoices } = await this.world.log();
    const invoice = oneOf(
      [...invoices.values()].filter(({ phase }) => phase === 'review'),
      which,
    );
    if (invoice === undefined) return;
    const { accountId, invoiceId } = invoice.terms;
    const outcome = yes ? 'completed' : 'failed';
    const data = { accountId, invoiceId, outcome, note: 'Looked', requestId: this.nextRequest() };
    this.send(accountId, { type: 'ResolveInvoice', data }, to);
  }

  private async resolveDeposit(which: number, yes: boolean, to: number): Promise<void> {
    const log = await this.world.log();
    const deposit = oneOf(log.openReviews(), which);
    const invoice = oneOf([...log.invoices.values()], which);
    if (deposit === undefined || invoice === undefined) return;
    const { accountId, invoiceId } = invoice.terms;
    const facts = yes ? { outcome: 'completed', accountId, invoiceId } : { outcome: 'failed' };
    const request = { requestId: this.nextRequest(), now: this.world.clock.now().toISOString() };
    const data = { ...deposit, ...facts, note: 'Looked', ...request };
    void this.world.send(deposit.address, { type: 'ResolveDeposit', data }, to).catch(() => undefined);
  }

  private nextRequest(): string {
    this.requests += 1;
    return `request ${this.requests}`;
  }

  private send(accountId: string, command: { type: string; data: object }, to: number): void {
    void this.world
      .send<Reply>(accountId, command, to)
      .then((reply) => reply.ok && reply.answer.status === 'completed' && this.acknowledged.push(reply.answer.id))
      .catch(() => undefined);
  }
}

function oneOf<Each>(all: readonly Each[], which: number): Each | undefined {
  return all.length === 0 ? undefined : all[which % all.length];
}
