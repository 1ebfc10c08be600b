import { specFor } from '@florin/event-sourcing/testing';
import { isRefusal } from '@florin/kernel';
import { accountDecider, type AccountState } from './account.decider';
import { accountAggregate } from './account.aggregate';
import { type AccountCommand, type AccountEvent, type Balances, type FundsReserved } from './account.messages';
import { maxOrders, retainedClosings } from './reservation-horizon';

const { given } = specFor(accountAggregate);
const accountId = 'acme-sandbox';

const fold = (...events: readonly AccountEvent[]): AccountState =>
  events.reduce(accountDecider.evolve, accountDecider.initialState());

/** What is refused has no events. */
const decide = (command: AccountCommand, state: AccountState): readonly AccountEvent[] => {
  const decision = accountDecider.decide(command, state);
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
/** What an event about the end of a reservation repeats of it. */
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

  it('takes the fee off', () => {
    const charged = { ...deposit, fee: '1.50' };
    given()
      .when({ type: 'DepositFunds', data: { accountId, ...charged } })
      .then({ type: 'FundsDeposited', data: { ...charged, after: after('98.50', '0.00') } });
  });

  it('refuses other data under a known id', () => {
    given(deposited)
      .when({ type: 'DepositFunds', data: { accountId, ...deposit, fingerprint: 'other' } })
      .thenRefused('idempotency_conflict');
  });

  it('refuses more than an account can hold', () => {
    const { data } = deposited;
    const full: AccountEvent = {
      type: 'FundsDeposited',
      data: { ...data, depositId: 'd0', after: after('999999999999950.00', '0.00') },
    } as AccountEvent;
    given(full)
      .when({ type: 'DepositFunds', data: { accountId, ...deposit } })
      .thenRefused('account_limit_exceeded');
  });

  it('refuses a deposit of nothing, unless its id is that of another deposit', () => {
    const nothing = { accountId, ...deposit, amount: '0.00', fingerprint: 'nothing' };
    given().when({ type: 'DepositFunds', data: nothing }).thenRefused('deposit_of_nothing');
    given(deposited).when({ type: 'DepositFunds', data: nothing }).thenRefused('idempotency_conflict');
  });

  it('takes less than nothing for a defect', () => {
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

  it('may take the last cent but not one more', () => {
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, amount: '100.00' } })
      .then({ type: 'FundsReserved', data: { ...reservation, amount: '100.00', after: after('0.00', '100.00') } });
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, amount: '100.01' } })
      .thenRefused('insufficient_funds');
  });

  it('refuses another fingerprint under an open id, and names that before the missing funds', () => {
    given(deposited, reserved)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, fingerprint: 'other', amount: '5000.00' } })
      .thenRefused('idempotency_conflict');
  });

  it('goes by the fingerprint alone: what the first one said stands', () => {
    given(deposited, reserved)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, amount: '5000.00', order: 'other' } })
      .then();
  });

  it.each([
    ['captured', captured],
    ['released', released],
  ])('is not taken again once it was %s, whatever it says then', (_, end) => {
    given(deposited, reserved, end)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation } })
      .then();
    given(deposited, reserved, end)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, fingerprint: 'other' } })
      .then();
  });

  it('takes nothing and less than nothing for a defect', () => {
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

  it('is taken in the same event as the hold', () => {
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, quota } })
      .then(counted);
  });

  it('refuses one more than its limit, and names that before the missing funds', () => {
    given(deposited, counted).when(reserveSecond).thenRefused('quota_exceeded');
    given(deposited, counted)
      .when({ type: 'CreateReservation', data: { accountId, ...second, amount: '5000.00' } })
      .thenRefused('quota_exceeded');
  });

  it('does not stand in the way of a repeat', () => {
    given(deposited, counted)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, quota } })
      .then();
  });

  it('is counted for each name alone, and not without one', () => {
    const next = { ...second, quota: { name: 'issue 2030-02', limit: 1 } };
    given(deposited, counted)
      .when({ type: 'CreateReservation', data: { accountId, ...next } })
      .then({ type: 'FundsReserved', data: { ...next, after: after('30.00', '70.00') } });
    const free = { ...second, quota: undefined };
    given(deposited, counted)
      .when({ type: 'CreateReservation', data: { accountId, ...free } })
      .then({ type: 'FundsReserved', data: { ...free, after: after('30.00', '70.00') } });
  });

  it('stands in the end of the hold, so that the end alone tells whose slot is free', () => {
    given(deposited, counted)
      .when({ type: 'ReleaseReservation', data: { accountId, reservationId: 'r1' } })
      .then(ended('ReservationReleased', '100.00'));
    given(deposited, counted)
      .when({ type: 'CaptureReservation', data: { accountId, reservationId: 'r1' } })
      .then(ended('ReservationCaptured', '40.00'));
  });

  it('is freed by a release and kept by a capture', () => {
    given(deposited, counted, ended('ReservationReleased', '100.00'))
      .when(reserveSecond)
      .then({ type: 'FundsReserved', data: { ...second, after: after('90.00', '10.00') } });
    given(deposited, counted, ended('ReservationCaptured', '40.00')).when(reserveSecond).thenRefused('quota_exceeded');
  });

  it('leaves nothing behind when the last of its slots is free', () => {
    expect(fold(deposited, counted).quotas).toEqual(new Map([['issue 2030-01', 1]]));
    expect(fold(deposited, counted, ended('ReservationReleased', '100.00')).quotas).toEqual(new Map());
  });
});

describe('what is remembered of reservations', () => {
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

  it('is the order while they are open, and only the outcome afterwards', () => {
    expect(fold(deposited, reserved).orders.get('r1')?.order).toEqual(reservation.order);
    const { open, closed: ends } = fold(deposited, reserved, captured);
    expect(open.size).toBe(0);
    expect(ends).toEqual(new Map([['r1', { outcome: 'captured', requestedAt }]]));
  });

  it('is the order of the newest open ones only; an older one is recognised all the same', () => {
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

  it('is not enough for a message that is older than what was forgotten: it is refused', () => {
    const late = (reservationId: string, at: string) =>
      given(...past).when({
        type: 'CreateReservation',
        data: { ...reservation, accountId, reservationId, amount: '1.00', requestedAt: at },
      });
    late('r0', requestedAt).thenRefused('reservation_outdated');
    late('never heard of', requestedAt).thenRefused('reservation_outdated');
    late('r1', requestedAt).then();
    const at = '2030-01-01T00:00:00.001Z';
    const data = { ...reservation, reservationId: 'new', amount: '1.00', requestedAt: at };
    late('new', at).then({ type: 'FundsReserved', data: { ...data, after: after('39.00', '1.00') } });
  });

  it('does not grow with their number: the oldest end is forgotten first', () => {
    const { closed: ends } = fold(...past);
    expect(ends.size).toBe(retainedClosings.max);
    given(...past)
      .when({ type: 'CaptureReservation', data: { accountId, reservationId: 'r0' } })
      .thenRefused('reservation_unknown');
    given(...past)
      .when({ type: 'CaptureReservation', data: { accountId, reservationId: 'r1' } })
      .then();
  });

  it('is the newest ends, and besides them only those of the last minutes', () => {
    const { min, forMs } = retainedClosings;
    const laterBy = (milliseconds: number): string => new Date(Date.parse(requestedAt) + milliseconds).toISOString();
    /** One hold, a while after `min` others that were all asked for at once, and how many ends are remembered then. */
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

  it('is every end whose time is not known, up to the number', () => {
    const { min } = retainedClosings;
    const timeless = past.slice(0, 2 * min + 2).map(({ type, data }) => {
      return { type, data: { ...data, requestedAt: undefined } } as unknown as AccountEvent;
    });
    const last = [numbered('FundsReserved', min + 1), numbered('ReservationCaptured', min + 1)];
    expect(fold(...timeless, ...last).closed.size).toBe(min + 2);
  });

  it('is enough to hold nothing twice, however late a message comes again and in whatever order they ended', () => {
    const numbers = Array.from({ length: retainedClosings.max + 1_000 }, (_, number) => number);
    const reserve = (number: number): AccountCommand => {
      const at = new Date(Date.parse(requestedAt) + number).toISOString();
      const data = { ...reservation, reservationId: `r${number}`, amount: '0.01', requestedAt: at };
      return { type: 'CreateReservation', data: { accountId, ...data } };
    };
    // 7 has no divisor in common with their number: this is each of them once, far from its place.
    const captures = numbers.map((number): AccountCommand => {
      const reservationId = `r${(number * 7) % numbers.length}`;
      return { type: 'CaptureReservation', data: { accountId, reservationId } };
    });
    const state = fold({ type: 'FundsDeposited', data: { ...deposit, after: after('1000.00', '0.00') } });
    for (const command of [...numbers.map(reserve), ...captures]) {
      for (const event of decide(command, state)) accountDecider.evolve(state, event);
    }
    expect([state.open.size, state.closed.size]).toEqual([0, retainedClosings.max]);
    for (const number of numbers) expect(decide(reserve(number), state)).toEqual([]);
    expect(decide(reserve(numbers.length), state)).toMatchObject([{ type: 'FundsReserved' }]);
  });

  it('is the outcome alone where the events do not tell when they were asked for', () => {
    const untimed = past.map(
      (event) => ({ ...event, data: { ...event.data, requestedAt: undefined } }) as AccountEvent,
    );
    expect(fold(...untimed)).toMatchObject({ horizon: '' });
  });
});

describe('CaptureReservation', () => {
  const command = { type: 'CaptureReservation', data: { accountId, reservationId: 'r1' } } as const;

  it('spends what was held', () => given(deposited, reserved).when(command).then(captured));
  it('refuses what it does not know', () => given(deposited).when(command).thenRefused('reservation_unknown'));
  it('refuses what was released', () =>
    given(deposited, reserved, released).when(command).thenRefused('reservation_released'));
});

describe('ReleaseReservation', () => {
  const command = { type: 'ReleaseReservation', data: { accountId, reservationId: 'r1' } } as const;

  it('gives back what was held', () => given(deposited, reserved).when(command).then(released));
  it('refuses what it does not know', () => given(deposited).when(command).thenRefused('reservation_unknown'));
  it('refuses what was captured', () =>
    given(deposited, reserved, captured).when(command).thenRefused('reservation_captured'));
});
