import * as fc from 'fast-check';
import { restoredFromSnapshot } from '@florin/event-sourcing/testing';
import { formatMoney, isRefusal, type Money, parseMoney } from '@florin/kernel';
import { accountAggregate } from './account.decider';
import { type AccountCommand, type AccountEvent, adjustmentDirections } from './account.messages';
import type { AccountState } from './account.state';
import { entriesOf, type StatementEntry } from './statement-entries';

const accountId = 'acme-sandbox';
const cents = fc.bigInt({ min: 1n, max: 100_000n });
/** Few ids, to provoke repeats, conflicts and opposite outcomes. */
const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');

const depositing = fc
  .tuple(ids, cents, fc.bigInt({ min: 0n, max: 100n }))
  .map(([id, amount, feePercent]): AccountCommand => {
    const fee = formatMoney((amount * feePercent) / 100n);
    const data = { depositId: id, reference: id, amount: formatMoney(amount), fee, description: '' };
    return { type: 'DepositFunds', data: { accountId, ...data, fingerprint: `${amount}` } };
  });
/** Small compared with the deposits, to not only test missing funds. */
const smallCents = fc.bigInt({ min: 1n, max: 10_000n });
const limit = 2;
const quotas = fc.constantFrom(undefined, { name: 'issue 2030-01', limit }, { name: 'issue 2030-02', limit });
/** Reservations of early releases have no fee. */
const feePercents = fc.option(fc.bigInt({ min: 0n, max: 100n }), { nil: undefined });
const reserving = fc.tuple(ids, smallCents, feePercents, quotas).map(([id, amount, percent, quota]): AccountCommand => {
  const fee = percent === undefined ? undefined : formatMoney((amount * percent) / 100n);
  const facts = { reservationId: id, reference: id, amount: formatMoney(amount), fee };
  const data = { ...facts, description: '', order: id, quota };
  const request = { fingerprint: `${amount} ${quota?.name}`, requestedAt: '2030-01-01T00:00:00.000Z' };
  return { type: 'CreateReservation', data: { accountId, ...data, ...request } };
});
const ending = fc
  .tuple(fc.constantFrom('CaptureReservation' as const, 'ReleaseReservation' as const), ids)
  .map(([type, reservationId]): AccountCommand => ({ type, data: { accountId, reservationId } }));

const directions = fc.constantFrom(...adjustmentDirections);
const operators = fc.constantFrom('ida', 'bob').map((id) => ({ kind: 'operator', id }) as const);
const fourEyesAmount = '50.00';
/** About half of them are at or above the four-eyes amount, and some of those have too few operators. */
const adjusting = fc
  .tuple(ids, smallCents, directions, operators, fc.option(operators, { nil: undefined }))
  .map(([id, amount, direction, proposedBy, confirmedBy]): AccountCommand => {
    const facts = { adjustmentId: id, direction, amount: formatMoney(amount), description: 'Correction' };
    const decision = { requestedAt: '2030-01-01T00:00:00.000Z', proposedBy, confirmedBy, fourEyesAmount };
    return {
      type: 'AdjustAccount',
      data: { accountId, ...facts, ...decision, fingerprint: `${direction} ${amount}` },
    };
  });

/** A card gives every unload another number, so the amount is that of the number. */
const refunding = fc
  .tuple(fc.constantFrom('c1', 'c2'), fc.integer({ min: 1, max: 70 }))
  .map(([cardId, unloadNumber]): AccountCommand => {
    const refundId = `${cardId}/${unloadNumber}`;
    const facts = { refundId, reference: refundId, cardId, unloadNumber, amount: formatMoney(BigInt(unloadNumber)) };
    return { type: 'CreditRefund', data: { accountId, ...facts, description: 'Card unload' } };
  });

const commands = fc.array(fc.oneof(depositing, reserving, ending, adjusting, refunding), { maxLength: 60 });

function run(
  list: readonly AccountCommand[],
  check?: (state: AccountState, events: readonly AccountEvent[]) => void,
  checkRefusal?: (refused: string, command: AccountCommand, events: readonly AccountEvent[]) => void,
): AccountEvent[] {
  const log: AccountEvent[] = [];
  let state = accountAggregate.initialState();
  for (const command of list) {
    const decision = accountAggregate.decide(command, state);
    if (isRefusal(decision)) {
      checkRefusal?.(decision.refused, command, log);
      continue;
    }
    for (const event of decision) {
      state = accountAggregate.evolve(state, event);
      log.push(event);
    }
    check?.(state, log);
  }
  return log;
}

/** The number of reservations per quota that were not released, counted from the log. */
function slotsTaken(events: readonly AccountEvent[]): Map<string, number> {
  const taken = new Map<string, number>();
  const add = (name: string | undefined, change: number): void => {
    if (name !== undefined) taken.set(name, (taken.get(name) ?? 0) + change);
  };
  for (const event of events) {
    if (event.type === 'FundsReserved') add(event.data.quota?.name, 1);
    if (event.type === 'ReservationReleased') add(event.data.quota?.name, -1);
  }
  return new Map([...taken].filter(([, count]) => count !== 0));
}

const amountsOf = (events: readonly AccountEvent[], type: AccountEvent['type']): Money =>
  events.filter((event) => event.type === type).reduce((sum, event) => sum + parseMoney(event.data.amount), 0n);

const adjustmentsOf = (events: readonly AccountEvent[]): Money =>
  events
    .filter((event) => event.type === 'AccountAdjusted')
    .flatMap(entriesOf)
    .reduce((sum, { availableDelta }) => sum + availableDelta, 0n);

const feesOf = (events: readonly AccountEvent[]): Money =>
  events.reduce((sum, event) => (event.type === 'FundsDeposited' ? sum + parseMoney(event.data.fee) : sum), 0n);

describe('for any sequence of commands', () => {
  it('money is conserved and nothing goes below zero', () => {
    fc.assert(
      fc.property(commands, (list) => {
        run(list, (state, log) => {
          const spent = amountsOf(log, 'ReservationCaptured') + feesOf(log);
          const credited = amountsOf(log, 'FundsDeposited') + adjustmentsOf(log) + amountsOf(log, 'FundsRefunded');
          expect(state.available + state.held).toBe(credited - spent);
          const open =
            amountsOf(log, 'FundsReserved') -
            amountsOf(log, 'ReservationCaptured') -
            amountsOf(log, 'ReservationReleased');
          expect(state.held).toBe(open);
          expect(state.available >= 0n && state.held >= 0n).toBe(true);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('every adjustment is executed once, and at or above the four-eyes amount by two different operators', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const executed = run(list).filter((event) => event.type === 'AccountAdjusted');
        expect(new Set(executed.map(({ data }) => data.adjustmentId)).size).toBe(executed.length);
        for (const { data } of executed) {
          if (parseMoney(data.amount) < parseMoney(fourEyesAmount)) continue;
          expect(new Set([data.proposedBy.id, data.confirmedBy?.id ?? data.proposedBy.id]).size).toBe(2);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('every refund is credited exactly once, also if it is repeated', () => {
    const refunds = fc.array(fc.oneof(refunding, depositing), { minLength: 1, maxLength: 60 });
    const interleaved = refunds.chain((list) => fc.shuffledSubarray([...list, ...list], { minLength: list.length }));
    fc.assert(
      fc.property(interleaved, (list) => {
        const requested = list.filter((command) => command.type === 'CreditRefund').map(({ data }) => data.refundId);
        const credited = run(list).filter((event) => event.type === 'FundsRefunded');
        expect(credited.map(({ data }) => data.refundId)).toEqual([...new Set(requested)]);
      }),
      { numRuns: 500 },
    );
  });

  it('no quota is exceeded, every release frees its slot, and no request is refused while a slot is free', () => {
    fc.assert(
      fc.property(commands, (list) => {
        run(
          list,
          (state, log) => {
            expect(state.quotas).toEqual(slotsTaken(log));
            expect([...state.quotas.values()].every((count) => count > 0 && count <= limit)).toBe(true);
          },
          (refused, command, log) => {
            if (refused !== 'quota_exceeded' || command.type !== 'CreateReservation') return;
            expect(slotsTaken(log).get(command.data.quota!.name)).toBe(limit);
          },
        );
      }),
      { numRuns: 500 },
    );
  });

  it('a state restored from a snapshot is the same at any point', () => {
    fc.assert(
      fc.property(commands, fc.nat({ max: 60 }), (list, when) => {
        const log = run(list);
        const fold = (state: AccountState, events: readonly AccountEvent[]): AccountState =>
          events.reduce(accountAggregate.evolve, state);
        const kept = restoredFromSnapshot(fold(accountAggregate.initialState(), log.slice(0, when)));
        expect(fold(kept, log.slice(when))).toEqual(fold(accountAggregate.initialState(), log));
      }),
      { numRuns: 500 },
    );
  });

  it('a repeat changes nothing at any point', () => {
    const doubled = commands.chain((list) =>
      fc.tuple(fc.constant(list), fc.array(fc.nat({ max: Math.max(0, list.length - 1) }), { maxLength: 20 })),
    );
    fc.assert(
      fc.property(doubled, ([list, repeats]) => {
        let state = accountAggregate.initialState();
        const accepted: AccountCommand[] = [];
        for (const command of list) {
          const decision = accountAggregate.decide(command, state);
          if (isRefusal(decision)) continue;
          accepted.push(command);
          for (const event of decision) state = accountAggregate.evolve(state, event);
        }
        for (const index of repeats) {
          const again = accepted[index];
          if (again !== undefined) expect(accountAggregate.decide(again, state)).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('every entry adds up, and the closing balance of a day is the opening balance of the next', () => {
    fc.assert(
      fc.property(commands, fc.array(fc.nat({ max: 5 }), { maxLength: 60 }), (list, pauses) => {
        const days = byDay(run(list).flatMap(entriesOf), pauses);
        let opening = { available: 0n, held: 0n };
        for (const day of days) {
          let { available, held } = opening;
          for (const entry of day) {
            available += entry.availableDelta;
            held += entry.heldDelta;
            expect({ available: entry.available, held: entry.held }).toEqual({ available, held });
          }
          opening = { available, held };
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Spreads entries over days: `pauses[i]` days pass before entry i; the last pause repeats. */
function byDay(entries: readonly StatementEntry[], pauses: readonly number[]): StatementEntry[][] {
  const days: StatementEntry[][] = [[]];
  entries.forEach((entry, index) => {
    for (let passed = 0; passed < (pauses[index] ?? 0); passed++) days.push([]);
    days[days.length - 1]!.push(entry);
  });
  return days;
}
