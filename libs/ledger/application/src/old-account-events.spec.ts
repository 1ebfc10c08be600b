import { CommandHandler, noStream } from '@florin/event-sourcing';
import { InMemoryEventStore } from '@florin/event-sourcing/testing';
import { serviceActor, systemClock } from '@florin/kernel';
import { accountAggregate, type CreateReservation, findReservation } from '@florin/ledger-domain';

const accountId = 'acme-sandbox';
const order = { operationId: 'o1', total: '10.00' };
const reservation = {
  reservationId: 'o1',
  reference: 'o1',
  amount: '10.00',
  description: 'Card issue',
  fingerprint: 'f1',
  requestedAt: '2030-01-01T00:00:00.000Z',
};

/** FundsReserved in its first version. */
const version1 = { ...reservation, purpose: order, after: { available: '0.00', held: '10.00' } };

async function accountWithVersion1() {
  const store = new InMemoryEventStore();
  const metadata = { schemaVersion: 1, recordedAt: '2030-01-01T00:00:00.000Z', correlationId: 'c', causationId: 'c' };
  const event = { id: 'e1', type: 'FundsReserved', data: JSON.stringify(version1), metadata: JSON.stringify(metadata) };
  await store.append(`account-${accountId}`, noStream, [event]);
  return new CommandHandler(accountAggregate, { store, clock: systemClock });
}

describe('FundsReserved of version 1, with the order in `purpose`', () => {
  const context = { id: 'c1', headers: { correlationId: 'c', causationId: 'c', actor: serviceActor('test') } };

  it('is read as a reservation with its order', async () => {
    const accounts = await accountWithVersion1();
    const found = await accounts.read(accountId, 0, (state) => findReservation(state, 'o1'));
    expect(found).toEqual({ status: 'open', order });
  });

  it('returns its order to a repeated request and can be captured', async () => {
    const accounts = await accountWithVersion1();
    const repeat: CreateReservation = { type: 'CreateReservation', data: { accountId, ...reservation } };
    expect(await accounts.handle(accountId, repeat, context)).toEqual({ ok: true, repeated: true, answer: order });
    const capture = { type: 'CaptureReservation', data: { accountId, reservationId: 'o1' } } as const;
    const reply = await accounts.handle(accountId, capture, { ...context, id: 'c2' });
    expect(reply).toMatchObject({ ok: true, repeated: false });
  });
});
