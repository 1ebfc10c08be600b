import { specFor } from '@florin/event-sourcing/testing';
import { accountDecider } from './account.decider';
import { type AccountEvent, accountEventVersions, type Balances } from './account.messages';

const { given } = specFor(accountDecider, accountEventVersions);
const accountId = 'acme-sandbox';

const after = (available: string, held: string): Balances => ({ available, held });
const deposit = {
  depositId: 'd1',
  reference: 'd1',
  amount: '100.00',
  fee: '0.00',
  description: 'Funding',
  fingerprint: 'f1',
};
const reservation = { reservationId: 'r1', reference: 'op1', amount: '60.00', description: 'Card issue' };

const deposited: AccountEvent = { type: 'FundsDeposited', data: { ...deposit, after: after('100.00', '0.00') } };
const reserved: AccountEvent = { type: 'FundsReserved', data: { ...reservation, after: after('40.00', '60.00') } };
const captured: AccountEvent = { type: 'ReservationCaptured', data: { ...reservation, after: after('40.00', '0.00') } };
const released: AccountEvent = {
  type: 'ReservationReleased',
  data: { ...reservation, after: after('100.00', '0.00') },
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

  it('takes nothing and less than nothing for a defect', () => {
    given()
      .when({ type: 'DepositFunds', data: { accountId, ...deposit, amount: '0.00' } })
      .thenThrows(/Invariant/);
    given()
      .when({ type: 'DepositFunds', data: { accountId, ...deposit, fee: '100.01' } })
      .thenThrows(/Invariant/);
  });
});

describe('ReserveFunds', () => {
  it('moves money from available to held', () => {
    given(deposited)
      .when({ type: 'ReserveFunds', data: { accountId, ...reservation } })
      .then(reserved);
  });

  it('may take the last cent but not one more', () => {
    given(deposited)
      .when({ type: 'ReserveFunds', data: { accountId, ...reservation, amount: '100.00' } })
      .then({ type: 'FundsReserved', data: { ...reservation, amount: '100.00', after: after('0.00', '100.00') } });
    given(deposited)
      .when({ type: 'ReserveFunds', data: { accountId, ...reservation, amount: '100.01' } })
      .thenRefused('insufficient_funds');
  });

  it('is not taken again after its end', () => {
    given(deposited, reserved, captured)
      .when({ type: 'ReserveFunds', data: { accountId, ...reservation } })
      .then();
    given(deposited, reserved, released)
      .when({ type: 'ReserveFunds', data: { accountId, ...reservation } })
      .then();
  });

  it.each([
    ['open', [deposited, reserved]],
    ['closed', [deposited, reserved, captured]],
  ])('names the conflict before the missing funds when the id is %s with another amount', (_, past) => {
    given(...past)
      .when({ type: 'ReserveFunds', data: { accountId, ...reservation, amount: '5000.00' } })
      .thenRefused('idempotency_conflict');
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
