import type { InvoiceStatus } from '@florin/invoicing-domain';
import { type Fault, simulatedAddress, type SimTransaction, transfer } from '@florin/tron-simulator';
import { approval, failed, manyTransfers, nestedTransfer, transferFrom, trx } from '@florin/tron-simulator/testing';
import * as fc from 'fast-check';
import { type ChainTestBed, type Payable, plus, type TestBedOptions } from './chain-test-bed';
import type { CrashPoint } from './crashing-store';

const companies = 3;
const company = fc.nat({ max: companies - 1 });

/** The transactions with which invoices are paid, correctly or not. */
const payments: Readonly<Record<string, (invoice: Payable) => SimTransaction>> = {
  exactly: transfer,
  byThirdParty: transferFrom,
  nested: nestedTransfer,
  twice: (invoice) => manyTransfers([invoice, invoice]),
  less: ({ to, amount }) => transfer({ to, amount: plus(amount, -1n) }),
  more: ({ to, amount }) => transfer({ to, amount: plus(amount, 1n) }),
  fake: (invoice) => transfer({ ...invoice, contract: simulatedAddress('fake USDT') }),
  reverted: (invoice) => failed(transfer(invoice)),
  nothing: ({ to }) => transfer({ to, amount: 0n }),
  approved: approval,
  coins: trx,
  elsewhere: ({ amount }) => transfer({ to: simulatedAddress('pool 1'), amount }),
};

const troubles: readonly Fault[] = [
  { kind: 'status', status: 429, retryAfterSeconds: 1 },
  { kind: 'status', status: 503 },
  { kind: 'drop' },
  { kind: 'malformed' },
  { kind: 'wrongBlock' },
  { kind: 'missing' },
  { kind: 'incomplete' },
];

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('invoice' as const), company }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      how: fc.oneof(fc.constant('exactly'), fc.constantFrom(...Object.keys(payments))),
      company,
      /** 0: the newest invoice of the company. */
      older: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      company,
      /** Relative to the expiry of the newest invoice of the company. */
      offsetMs: fc.constantFrom(-600_000, -1_000, -1, 0, 1, 1_000, 600_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fork' as const), depth: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fault' as const), fault: fc.constantFrom(...troubles) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), place: fc.nat({ max: 1 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('die' as const),
      category: fc.constantFrom('chain', 'address', 'invoices', 'account'),
      when: fc.constantFrom<CrashPoint['when']>('before', 'after'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      company,
      decision: fc.constantFrom('completed' as const, 'failed' as const, 'attribute' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

export interface RandomChain {
  readonly testBed: TestBedOptions;
  readonly steps: readonly Step[];
}

export const randomChain: fc.Arbitrary<RandomChain> = fc.record({
  testBed: fc.record({
    addresses: fc.constantFrom(1, 2),
    replicas: fc.constantFrom(1, 2),
    solidifyAfter: fc.constantFrom(0, 2),
    firstBlock: fc.constantFrom(1, 99_995),
  }),
  steps: fc.array(step, { minLength: 5, maxLength: 30 }),
});

/** Runs a random chain for some companies, each with one open invoice at a time. */
export class ChainPlayer {
  private readonly invoices: Payable[][] = Array.from({ length: companies }, () => []);

  constructor(private readonly testBed: ChainTestBed) {}

  async play(steps: readonly Step[]): Promise<void> {
    for (let number = 0; number < companies; number++) await this.requestInvoice(number);
    for (const next of steps) await this.take(next);
    this.testBed.chain.heal();
    this.testBed.chain.mineEmpty(1);
    this.testBed.chain.solidify();
    await this.testBed.settle();
  }

  private async take(next: Step): Promise<void> {
    const { testBed } = this;
    switch (next.do) {
      case 'invoice':
        return this.requestInvoice(next.company);
      case 'pay': {
        const invoice = this.invoices[next.company]?.at(-1 - next.older);
        if (invoice) testBed.chain.mine(payments[next.how]!(invoice));
        return;
      }
      case 'mine':
        return testBed.chain.mineEmpty(next.blocks);
      case 'wait':
        return this.wait(this.invoices[next.company]?.at(-1), next.offsetMs);
      case 'fork':
        return this.fork(next.depth);
      case 'fault':
        return testBed.chain.fault(next.fault);
      case 'crash':
        return testBed.crash(next.place);
      case 'die':
        return testBed.crashAt(next);
      case 'decide':
        return this.decide(this.invoices[next.company]?.at(-1), next.decision);
      case 'settle':
        return testBed.settle();
    }
  }

  /** Refused while the company has another open invoice. */
  private async requestInvoice(number: number): Promise<void> {
    const mine = this.invoices[number]!;
    const { time } = this.testBed.chain.state().head;
    this.testBed.clock.set(time);
    const name = `${number}/${mine.length}`;
    const invoice = await this.retry(() => this.testBed.invoice(name, `company ${number}`));
    if (invoice) mine.push(invoice);
  }

  /** Retries after an error, as clients do. */
  private async retry<Result>(request: () => Promise<Result>): Promise<Result | undefined> {
    return request().catch(async () => {
      await this.testBed.settle();
      return request().catch(() => undefined);
    });
  }

  /** An operator decides, which may be refused. */
  private async decide(invoice: Payable | undefined, decision: 'completed' | 'failed' | 'attribute'): Promise<void> {
    if (invoice === undefined) return;
    await this.testBed.settle();
    if (decision !== 'attribute') {
      await this.retry(() => this.testBed.resolve(invoice.name, decision));
      return;
    }
    const newest = (await this.testBed.log()).unmatched().at(-1);
    if (newest) await this.retry(() => this.testBed.attribute(invoice.name, newest));
  }

  private wait(invoice: Payable | undefined, offsetMs: number): void {
    const time = invoice && new Date(Date.parse(invoice.expiresAt) + offsetMs).toISOString();
    if (time !== undefined && time > this.testBed.chain.state().head.time) this.testBed.setTime(time);
  }

  private fork(depth: number): void {
    const { head, solidHead } = this.testBed.chain.state();
    if (head.number - solidHead.number >= depth) this.testBed.chain.fork({ depth });
  }
}

/** The expected status by final blocks and decisions of operators. */
export function expectedStatus(testBed: ChainTestBed, invoice: Payable, paidAt: string | undefined): InvoiceStatus {
  const decision = testBed.decisions.get(invoice.name);
  if (decision !== undefined) return decision;
  if (paidAt !== undefined) return paidAt < invoice.expiresAt ? 'completed' : 'manual_review';
  return testBed.chain.state().solidHead.time >= invoice.expiresAt ? 'expired' : 'pending';
}
