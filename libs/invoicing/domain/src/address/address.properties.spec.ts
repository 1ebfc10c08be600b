import { isRefusal, parseUsdt } from '@florin/kernel';
import * as fc from 'fast-check';
import { addressAggregate, clockToleranceMs } from './address.decider';
import type { AddressCommand, AddressEvent, PaymentClaim } from './address.messages';
import { type AddressState, isBeyondRetention } from './address.state';
import { distinctAmounts } from './pay-amount';

const address = 'TReasury1';
const startMs = Date.parse('2030-01-01T00:00:00.000Z');
const hourMs = 60 * 60 * 1_000;
const watchMs = 7 * 24 * hourMs;
const isoOf = (ms: number): string => new Date(ms).toISOString();

type Step =
  | { readonly do: 'claim'; readonly dollars: number; readonly draw: number }
  | { readonly do: 'pay'; readonly which: number; readonly off: number }
  | { readonly do: 'read' }
  | { readonly do: 'wait'; readonly minutes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      dollars: fc.integer({ min: 10, max: 11 }),
      // Few different numbers, so that claims collide.
      draw: fc.integer({ min: distinctAmounts - 3, max: distinctAmounts - 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      which: fc.nat(),
      off: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 3_000 }) }),
  },
);

/** An address, a wall clock, and a chain that is read with a lag. */
class AddressSimulation {
  state: AddressState = addressAggregate.initialState();
  readonly events: AddressEvent[] = [];
  readonly claims: PaymentClaim[] = [];
  private readonly sent: AddressCommand[] = [];
  private nowMs = startMs;
  private count = 0;
  /** Payments that were not read yet, in the order of the chain. */
  private unread: { readonly blockMs: number; readonly amount: string }[] = [];

  play(step: Step): void {
    switch (step.do) {
      case 'claim':
        return this.claim(step.dollars, step.draw);
      case 'pay':
        return this.pay(step.which, step.off);
      case 'read':
        return this.read();
      case 'wait':
        this.nowMs += step.minutes * 60_000;
    }
  }

  read(): void {
    for (const { blockMs, amount } of this.unread) {
      const depositId = `d${this.count++}`;
      const facts = { transactionId: depositId, logIndex: 0, from: 'TSender', amount, blockNumber: 1 };
      const command = {
        type: 'RecordDeposit',
        data: { address, deposit: { depositId, ...facts, blockTime: isoOf(blockMs) } },
      } as const;
      this.send(command);
      expect(addressAggregate.decide(command, this.state)).toEqual([]);
    }
    this.unread = [];
    this.send({ type: 'CloseClaims', data: { address, readTo: isoOf(this.nowMs) } });
  }

  private claim(dollars: number, draw: number): void {
    const invoiceId = `i${this.count++}`;
    const expiresMs = this.nowMs + hourMs;
    const times = {
      claimedAt: isoOf(this.nowMs),
      expiresAt: isoOf(expiresMs),
      watchedUntil: isoOf(expiresMs + watchMs),
    };
    this.send({
      type: 'ClaimPayAmount',
      data: { address, invoiceId, accountId: `a${invoiceId}`, ...times, depositAmount: `${dollars}.00`, draw },
    });
    this.nowMs += 1_000;
  }

  private pay(which: number, off: number): void {
    const claim = this.claims[which % Math.max(1, this.claims.length)];
    if (claim === undefined) return;
    const millionths = (parseUsdt(claim.payAmount) + BigInt(off)).toString().padStart(7, '0');
    this.nowMs += 3_000;
    this.unread.push({ blockMs: this.nowMs, amount: `${millionths.slice(0, -6)}.${millionths.slice(-6)}` });
  }

  /** The events of all past commands if each is delivered again. */
  redelivered(): readonly AddressEvent[] {
    return this.sent.flatMap((command) => {
      const isTooOld =
        command.type === 'RecordDeposit' && isBeyondRetention(this.state, command.data.deposit.blockTime);
      const decided = isTooOld ? [] : addressAggregate.decide(command, this.state);
      return isRefusal(decided) ? [] : decided;
    });
  }

  private send(command: AddressCommand): void {
    this.sent.push(command);
    const decided = addressAggregate.decide(command, this.state);
    if (isRefusal(decided)) throw new Error(decided.message);
    for (const event of decided) {
      this.events.push(event);
      this.state = addressAggregate.evolve(this.state, event);
      if (event.type === 'PayAmountClaimed') this.claims.push(event.data);
    }
  }
}

/** No two claims of the same amount have overlapping watch periods. */
function sharedAmounts(claims: readonly PaymentClaim[]): string[] {
  const watchedUntil = new Map<string, string>();
  return claims.flatMap((claim) => {
    const before = watchedUntil.get(claim.payAmount);
    watchedUntil.set(claim.payAmount, claim.watchedUntil);
    return before !== undefined && before > claim.claimedAt ? [`${claim.payAmount} at ${claim.claimedAt}`] : [];
  });
}

/** Matches every deposit again, using only the list of all claims. */
function wrongMatches({ events, claims }: AddressSimulation): string[] {
  const byInvoice = new Map(claims.map((claim) => [claim.invoiceId, claim]));
  const ended = new Map<string, 'paid' | 'lost'>();
  return events.flatMap((event) => {
    if (event.type === 'ClaimLost') {
      const flaw = ended.has(event.data.invoiceId) ? [`${event.data.invoiceId} ended twice`] : [];
      ended.set(event.data.invoiceId, 'lost');
      const claim = byInvoice.get(event.data.invoiceId)!;
      return claim.expiresAt <= event.data.readTo ? flaw : [...flaw, `${claim.invoiceId} was lost before its time`];
    }
    if (event.type !== 'DepositMatched') return [];
    const { invoiceId, deposit, late } = event.data;
    const claim = byInvoice.get(invoiceId)!;
    const flaws = [
      ended.get(invoiceId) === 'paid' && `${invoiceId} was paid twice`,
      claim.payAmount !== deposit.amount && `${invoiceId} was paid with ${deposit.amount}`,
      late !== deposit.blockTime >= claim.expiresAt && `${invoiceId} was classified as late: ${late}`,
      Date.parse(deposit.blockTime) < Date.parse(claim.claimedAt) - clockToleranceMs && `${invoiceId} was paid before`,
    ];
    ended.set(invoiceId, 'paid');
    return flaws.filter((flaw) => flaw !== false);
  });
}

/** Once the chain is read to the end, every claim has ended, and every exact payment in time is matched. */
function missingMatches({ events, claims, state }: AddressSimulation): string[] {
  const unmatched = events.flatMap((event) => {
    if (event.type !== 'DepositUnmatched' || event.data.reason !== 'amount_unknown') return [];
    const { amount, blockTime } = event.data.deposit;
    // A payment that was read in the millisecond before a claim of the same amount is not meant for it.
    return claims.some(
      (claim) => claim.payAmount === amount && claim.claimedAt < blockTime && blockTime < claim.watchedUntil,
    )
      ? [`${amount} of ${blockTime} was not matched`]
      : [];
  });
  const open = [...state.claims.values()].filter(({ phase }) => phase === 'open');
  return [...unmatched, ...open.map(({ invoiceId }) => `${invoiceId} never ended`)];
}

describe('an address, for any order of claims, payments and blocks', () => {
  it('has distinct amounts, pays each invoice at most once, and ends every claim', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        const simulation = new AddressSimulation();
        for (const each of steps) simulation.play(each);
        simulation.play({ do: 'wait', minutes: 61 });
        simulation.read();
        expect([
          ...sharedAmounts(simulation.claims),
          ...wrongMatches(simulation),
          ...missingMatches(simulation),
        ]).toEqual([]);
        expect(simulation.redelivered()).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('gives distinct amounts to 30,000 claims over weeks and deletes old ones', () => {
    const simulation = new AddressSimulation();
    let most = 0;
    for (let count = 0; count < 30_000; count++) {
      simulation.play({ do: 'claim', dollars: 10, draw: (count * 7_919) % distinctAmounts });
      if (count % 3 === 0) simulation.play({ do: 'pay', which: count, off: 0 });
      if (count % 100 === 99) {
        simulation.play({ do: 'wait', minutes: 110 });
        simulation.read();
      }
      most = Math.max(most, simulation.state.claims.size);
    }
    expect(sharedAmounts(simulation.claims)).toEqual([]);
    expect(wrongMatches(simulation)).toEqual([]);
    expect(new Set(simulation.claims.map(({ payAmount }) => payAmount)).size).toBeLessThan(simulation.claims.length);
    expect(most).toBeLessThan(distinctAmounts);
  });
});
