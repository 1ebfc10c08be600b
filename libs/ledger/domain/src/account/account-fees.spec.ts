import { specFor } from '@florin/event-sourcing/testing';
import { accountAggregate } from './account.decider';
import { type AccountEvent, type Balances, type ReservationCaptured } from './account.messages';
import { entriesOf } from './statement-entries';

const { given } = specFor(accountAggregate);
const accountId = 'acme-sandbox';
const after = (available: string, held: string): { after: Balances } => ({ after: { available, held } });

const deposit = { depositId: 'd1', reference: 'd1', amount: '200.00', fee: '0.00', description: '', fingerprint: 'f1' };
const deposited: AccountEvent = { type: 'FundsDeposited', data: { ...deposit, ...after('200.00', '0.00') } };
const closed = { reservationId: 'r1', reference: 'op1', amount: '103.20', description: 'Card issue' };
const reservation = { ...closed, fee: '3.20', fingerprint: 'f2', requestedAt: '2030-01-01T00:00:00.000Z' };
const reserved: AccountEvent = { type: 'FundsReserved', data: { ...reservation, ...after('96.80', '103.20') } };
const captured: ReservationCaptured = {
  type: 'ReservationCaptured',
  data: { ...closed, fee: '3.20', ...after('96.80', '0.00') },
};

describe('The fee of a reservation', () => {
  it('is reserved and captured as a part of the amount', () => {
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation } })
      .then(reserved);
    given(deposited, reserved)
      .when({ type: 'CaptureReservation', data: { accountId, reservationId: 'r1' } })
      .then(captured);
  });

  it('is returned with the amount by a release', () => {
    given(deposited, reserved)
      .when({ type: 'ReleaseReservation', data: { accountId, reservationId: 'r1' } })
      .then({ type: 'ReservationReleased', data: { ...closed, ...after('200.00', '0.00') } });
  });

  it.each(['103.21', '-0.01'])('is never %s for an amount of 103.20', (fee) => {
    given(deposited)
      .when({ type: 'CreateReservation', data: { accountId, ...reservation, fee } })
      .thenThrows(/Invariant/);
  });

  it('has an entry after that of the amount, with the same reference', () => {
    const line = { reference: 'op1', description: 'Card issue', availableDelta: 0n, available: 9_680n };
    expect(entriesOf(captured)).toEqual([
      { ...line, kind: 'capture', heldDelta: -10_000n, held: 320n },
      { ...line, kind: 'fee', heldDelta: -320n, held: 0n },
    ]);
  });

  it.each([undefined, '0.00'])('has no entry if it is %s', (fee) => {
    const line = { reference: 'op1', description: 'Card issue', availableDelta: 0n, available: 9_680n };
    expect(entriesOf({ ...captured, data: { ...captured.data, fee } })).toEqual([
      { ...line, kind: 'capture', heldDelta: -10_320n, held: 0n },
    ]);
  });
});
