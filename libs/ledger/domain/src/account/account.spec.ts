import { specFor } from '@florin/event-sourcing/testing';
import { isRefusal } from '@florin/kernel';
import { accountAggregate } from './account.decider';
import { type AccountCommand, type AccountEvent, type Balances, type FundsReserved } from './account.messages';
import type { AccountState } from './account.state';
import { maxOrders, retainedClosings } from './reservation-horizon';

const { given } = specFor(accountAggregate);
const accountId = 'acme-sandbox';

const fold = (...events: readonly AccountEvent[]): AccountState =>
  events.reduce(accountAggregate.evolve, accountAggregate.initialState());

/** A refusal has no events. */
const decide = (command: AccountCommand, state: AccountState): readonly AccountEvent[] => {
  const decision = accountAggregate.decide(command, state);
  return isRefusal(decision) ? [] : decision;
};

const after = (available: string, held: string): Balances => ({ available, held });
const deposit = {
  depositId: 'd1',
  reference: 'd1',
  amount: '100.00',
  fee: '0.00',
  description: 'Funding',
  fingerprint: 'f1',
};
/** The fields of a reservation that its closing event repeats. */
const closed = { reservationId: 'r1', reference: 'op1', amount: '60.00', description: 'Card issue' };
const requestedAt = '2030-01-01T00:00:00.000Z';
const reservation = { ...closed, fingerprint: 'f2', order: { operationId: 'op1', name: 'Travel' }, requestedAt };

const deposited: AccountEvent = { type: 'FundsDeposited', data: { ...deposit, after: after('100.00', '0.00') } };
const reserved: AccountEvent = { type: 'FundsReserved', data: { ...reservation, after: after('40.00', '60.00') } };
const captured: AccountEvent = { type: 'ReservationCaptured', data: { ...closed, after: after('40.00', '0.00') } };
const released: AccountEvent = {
  type: 'ReservationReleased',
  data: { ...closed, after: after('100.00', '0.00') },
};

describe('DepositFunds', () => {
  it('credits the amount', () => {
    given()
      .when({ type: 'DepositFunds', data: { accountId, ...deposit } })
      .then(deposited);
  });

  it('deducts the fee', () => {
    const charged = { ...deposit, fee: '1.50' };
    given()
      .when({ type: 'DepositFunds', data: { accountId, ...charged } })
      .then({ type: 'FundsDeposited', data: { ...charged, after: after('98.50', '0.00') } });
  });

  it('refuses different data under a known id', () => {
    given(deposited)
      .when({ type: 'DepositFunds', data: { accountId, ...deposit, fingerprint: 'other' } })
      .thenRefused('idempotency_conflict');
  });

  it('refuses to exceed the maximum balance', () => {
    const { data } = deposited;
    const full: AccountEvent = {
      type: 'FundsDeposited',
      data: { ...data, depositId: 'd0', after: after('999999999999950.00', '0.00') },
    } as AccountEvent;
    given(full)
      .when({ type: 'DepositFunds', data: { accountId, ...deposit } })
      .thenRefused('account_limit_exceeded');
  });

  it('refuses a deposit of zero, after checking for an id conflict', () => {
    const nothing = { accountId, ...deposit, amount: '0.00', fingerprint: 'nothing' };
    given().when({ type: 'DepositFunds', data: nothing }).thenRefused('deposit_of_nothing');
    given(deposited).when({ type: 'DepositFunds', data: nothing }).thenRefused('idempotency_conflict');
  });

  it('throws on a negative amount and on a fee above the amount', () => {
    given()
      .when({ type: 'DepositFunds', data: { accountId, ...deposit, amount: '-1.00' } })
      .thenThrows(/Invariant/);
    given()
      .when({ type: 'DepositFunds', data: { accountId, ...deposit, fee: '100.01' } })
      .thenThrows(/Invariant/);
  });
});

describe('CreateReservation', () => {
  it('moves money from available to held', () => {
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation } })
      .then(reserved);
  });

  it('may reserve the whole balance but not one cent more', () => {
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, amount: '100.00' } })
      .then({ type: 'FundsReserved', data: { ...reservation, amount: '100.00', after: after('0.00', '100.00') } });
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, amount: '100.01' } })
      .thenRefused('insufficient_funds');
  });

  it('refuses another fingerprint under an open id before it checks the funds', () => {
    given(deposited, reserved)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, fingerprint: 'other', amount: '5000.00' } })
      .thenRefused('idempotency_conflict');
  });

  it('compares only the fingerprint and keeps the first request', () => {
    given(deposited, reserved)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, amount: '5000.00', order: 'other' } })
      .then();
  });

  it.each([
    ['captured', captured],
    ['released', released],
  ])('does not reserve again once %s, even with another fingerprint', (_, end) => {
    given(deposited, reserved, end)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation } })
      .then();
    given(deposited, reserved, end)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, fingerprint: 'other' } })
      .then();
  });

  it('throws on a zero amount', () => {
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, amount: '0.00' } })
      .thenThrows(/Invariant/);
  });
});

describe('a quota', () => {
  const quota = { name: 'issue 2030-01', limit: 1 };
  const counted: AccountEvent = { type: 'FundsReserved', data: { ...reserved.data, quota } as FundsReserved['data'] };
  const ended = (type: 'ReservationCaptured' | 'ReservationReleased', available: string): AccountEvent => {
    return { type, data: { ...closed, quota, after: after(available, '0.00') } };
  };
  const second = { ...reservation, reservationId: 'r2', fingerprint: 'f3', amount: '10.00', quota };
  const reserveSecond = { type: 'CreateReservation', data: { accountId, ...second } } as const;

  it('is counted in the same event as the reservation', () => {
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, quota } })
      .then(counted);
  });

  it('refuses more than its limit before the funds are checked', () => {
    given(deposited, counted).when(reserveSecond).thenRefused('quota_exceeded');
    given(deposited, counted)
      .when({ type: 'CreateReservation', data: { accountId, ...second, amount: '5000.00' } })
      .thenRefused('quota_exceeded');
  });

  it('does not apply to a repeat', () => {
    given(deposited, counted)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, quota } })
      .then();
  });

  it('is counted per name, and not without a name', () => {
    const next = { ...second, quota: { name: 'issue 2030-02', limit: 1 } };
    given(deposited, counted)
      .when({ type: 'CreateReservation', data: { accountId, ...next } })
      .then({ type: 'FundsReserved', data: { ...next, after: after('30.00', '70.00') } });
    const free = { ...second, quota: undefined };
    given(deposited, counted)
      .when({ type: 'CreateReservation', data: { accountId, ...free } })
      .then({ type: 'FundsReserved', data: { ...free, after: after('30.00', '70.00') } });
  });

  it('is part of the closing event, which is enough to free the slot', () => {
    given(deposited, counted)
      .when({ type: 'ReleaseReservation', data: { accountId, reservationId: 'r1' } })
      .then(ended('ReservationReleased', '100.00'));
    given(deposited, counted)
      .when({ type: 'CaptureReservation', data: { accountId, reservationId: 'r1' } })
      .then(ended('ReservationCaptured', '40.00'));
  });

  it('is freed by a release and not by a capture', () => {
    given(deposited, counted, ended('ReservationReleased', '100.00'))
      .when(reserveSecond)
      .then({ type: 'FundsReserved', data: { ...second, after: after('90.00', '10.00') } });
    given(deposited, counted, ended('ReservationCaptured', '40.00')).when(reserveSecond).thenRefused('quota_exceeded');
  });

  it('is removed from the state when its last slot is freed', () => {
    expect(fold(deposited, counted).quotas).toEqual(new Map([['issue 2030-01', 1]]));
    expect(fold(deposited, counted, ended('ReservationReleased', '100.00')).quotas).toEqual(new Map());
  });
});

describe('The state of reservations', () => {
  const numbered = (type: AccountEvent['type'], number: number): AccountEvent => {
    return {
      type,
      data: { ...reservation, reservationId: `r${number}`, after: after('40.00', '0.00') },
    } as AccountEvent;
  };
  const past = Array.from({ length: retainedClosings.max + 1 }, (_, number) => [
    numbered('FundsReserved', number),
    numbered('ReservationCaptured', number),
  ]).flat();

  it('has the order while they are open, and only the outcome afterwards', () => {
    expect(fold(deposited, reserved).orders.get('r1')?.order).toEqual(reservation.order);
    const { open, closed: ends } = fold(deposited, reserved, captured);
    expect(open.size).toBe(0);
    expect(ends).toEqual(new Map([['r1', { outcome: 'captured', requestedAt }]]));
  });

  it('has the orders of only the newest open ones, and still detects a repeat of an older one', () => {
    const opened = Array.from({ length: maxOrders + 1 }, (_, number) => numbered('FundsReserved', number));
    const state = fold(...opened);
    expect([state.open.size, state.orders.size]).toEqual([maxOrders + 1, maxOrders]);
    const again = (number: number, fingerprint: string) => {
      const data = { ...reservation, accountId, reservationId: `r${number}`, fingerprint };
      return given(...opened).when({ type: 'CreateReservation', data });
    };
    again(0, reservation.fingerprint).then();
    again(1, reservation.fingerprint).then();
    again(1, 'another').thenRefused('idempotency_conflict');
  });

  it('leads to the refusal of a request from before the horizon', () => {
    const late = (reservationId: string, at: string) =>
      given(...past).when({
        type: 'CreateReservation',
        data: { ...reservation, accountId, reservationId, amount: '1.00', requestedAt: at },
      });
    late('r0', requestedAt).thenRefused('reservation_outdated');
    late('unknown', requestedAt).thenRefused('reservation_outdated');
    late('r1', requestedAt).then();
    const at = '2030-01-01T00:00:00.001Z';
    const data = { ...reservation, reservationId: 'new', amount: '1.00', requestedAt: at };
    late('new', at).then({ type: 'FundsReserved', data: { ...data, after: after('39.00', '1.00') } });
  });

  it('is bounded: the oldest outcome is dropped first', () => {
    const { closed: ends } = fold(...past);
    expect(ends.size).toBe(retainedClosings.max);
    given(...past)
      .when({ type: 'CaptureReservation', data: { accountId, reservationId: 'r0' } })
      .thenRefused('reservation_unknown');
    given(...past)
      .when({ type: 'CaptureReservation', data: { accountId, reservationId: 'r1' } })
      .then();
  });

  it('has the newest outcomes, and more only of the last minutes', () => {
    const { min, forMs } = retainedClosings;
    const laterBy = (milliseconds: number): string => new Date(Date.parse(requestedAt) + milliseconds).toISOString();
    /** The state after one reservation that was requested `milliseconds` after `min` others. */
    const endsAfter = (milliseconds: number): AccountState => {
      const events = past.slice(0, 2 * min);
      const last = numbered('FundsReserved', min) as FundsReserved;
      const later = { ...last, data: { ...last.data, requestedAt: laterBy(milliseconds) } };
      return fold(...events, later, numbered('ReservationCaptured', min));
    };
    const within = endsAfter(forMs);
    expect([within.closed.size, within.horizon]).toEqual([min + 1, '']);
    const beyond = endsAfter(forMs + 1);
    expect([beyond.closed.size, beyond.horizon]).toEqual([min, requestedAt]);
    expect(beyond.closed.has('r0')).toBe(false);
  });

  it('has all outcomes without a request time, up to the maximum', () => {
    const { min } = retainedClosings;
    const timeless = past.slice(0, 2 * min + 2).map(({ type, data }) => {
      return { type, data: { ...data, requestedAt: undefined } } as unknown as AccountEvent;
    });
    const last = [numbered('FundsReserved', min + 1), numbered('ReservationCaptured', min + 1)];
    expect(fold(...timeless, ...last).closed.size).toBe(min + 2);
  });

  it('is enough to never reserve twice, for late repeats and any order of closing', () => {
    const numbers = Array.from({ length: retainedClosings.max + 1_000 }, (_, number) => number);
    const reserve = (number: number): AccountCommand => {
      const at = new Date(Date.parse(requestedAt) + number).toISOString();
      const data = { ...reservation, reservationId: `r${number}`, amount: '0.01', requestedAt: at };
      return { type: 'CreateReservation', data: { accountId, ...data } };
    };
    // 7 is coprime to the count, so this visits each reservation once, in a different order.
    const captures = numbers.map((number): AccountCommand => {
      const reservationId = `r${(number * 7) % numbers.length}`;
      return { type: 'CaptureReservation', data: { accountId, reservationId } };
    });
    const state = fold({ type: 'FundsDeposited', data: { ...deposit, after: after('1000.00', '0.00') } });
    for (const command of [...numbers.map(reserve), ...captures]) {
      for (const event of decide(command, state)) accountAggregate.evolve(state, event);
    }
    expect([state.open.size, state.closed.size]).toEqual([0, retainedClosings.max]);
    for (const number of numbers) expect(decide(reserve(number), state)).toEqual([]);
    expect(decide(reserve(numbers.length), state)).toMatchObject([{ type: 'FundsReserved' }]);
  });

  it('has no horizon if the events have no request time', () => {
    const untimed = past.map(
      (event) => ({ ...event, data: { ...event.data, requestedAt: undefined } }) as AccountEvent,
    );
    expect(fold(...untimed)).toMatchObject({ horizon: '' });
  });
});

describe('CaptureReservation', () => {
  const command = { type: 'CaptureReservation', data: { accountId, reservationId: 'r1' } } as const;

  it('deducts the reserved amount', () => given(deposited, reserved).when(command).then(captured));
  it('refuses an unknown reservation', () => given(deposited).when(command).thenRefused('reservation_unknown'));
  it('refuses a released reservation', () =>
    given(deposited, reserved, released).when(command).thenRefused('reservation_released'));
});

describe('ReleaseReservation', () => {
  const command = { type: 'ReleaseReservation', data: { accountId, reservationId: 'r1' } } as const;

  it('returns the reserved amount', () => given(deposited, reserved).when(command).then(released));
  it('refuses an unknown reservation', () => given(deposited).when(command).thenRefused('reservation_unknown'));
  it('refuses a captured reservation', () =>
    given(deposited, reserved, captured).when(command).thenRefused('reservation_captured'));
});
