import 'reflect-metadata';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import { CLOCK, type CommandReply, EVENT_STORE, SNAPSHOT_STORE } from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import { type Json, randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import type { AccountCommand, AccountRefusal, CreateReservation, CreateReservations } from '@florin/ledger-domain';
import { Global, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LedgerModule } from './ledger.module';

@Global()
@Module({
  providers: [
    { provide: EVENT_STORE, useValue: new InMemoryEventStore() },
    { provide: SNAPSHOT_STORE, useValue: new InMemorySnapshotStore() },
    { provide: CLOCK, useValue: manualClock('2030-01-01T00:00:00.000Z') },
  ],
  exports: [EVENT_STORE, SNAPSHOT_STORE, CLOCK],
})
class TestPlatform {}

@Module({ imports: [TestPlatform, LedgerModule] })
class TestApplication {}

const bus = new InProcessCommandBus({ onFailedSend: () => undefined });
let app: INestMicroservice;

beforeAll(async () => {
  app = await NestFactory.createMicroservice(TestApplication, { strategy: bus.transport, logger: false });
  await app.listen();
});

afterAll(() => app.close());

type Reply = CommandReply<Json, AccountRefusal>;

const send = <Answer = Reply>(command: AccountCommand | CreateReservations): Promise<Answer> => {
  const headers = { correlationId: 'request', causationId: 'request', actor: serviceActor('test') };
  return bus.request({ context: 'ledger', key: command.data.accountId, id: randomId(), command, headers });
};

const funded = async (amount: string): Promise<string> => {
  const accountId = `${randomId()}-sandbox`;
  const deposit = { depositId: 'd', reference: 'd', amount, fee: '0.00', description: 'Funding', fingerprint: 'd' };
  await send({ type: 'DepositFunds', data: { accountId, ...deposit } });
  return accountId;
};

const reserve = (accountId: string, reservationId: string, order?: Json): AccountCommand => {
  const data = { reservationId, reference: 'op', amount: '1000.00', description: 'Card issue', fingerprint: 'f' };
  return { type: 'CreateReservation', data: { accountId, ...data, order, requestedAt: '2030-01-01T00:00:00.000Z' } };
};

const done = { ok: true, repeated: false, answer: null };
const refusedAs = (refused: AccountRefusal) => ({
  ok: false,
  refusal: { refused, message: expect.any(String) as string },
});

describe('CreateReservation', () => {
  it('returns the order of the first request to the second one', async () => {
    const accountId = await funded('5000.00');
    expect(await send(reserve(accountId, 'r', { made: 'first' }))).toEqual(done);
    const second = await send(reserve(accountId, 'r', { made: 'second' }));
    expect(second).toEqual({ ok: true, repeated: true, answer: { made: 'first' } });
  });

  it('returns null to a repeat without an order and after the reservation is closed', async () => {
    const accountId = await funded('5000.00');
    const repeated = { ...done, repeated: true };
    await send(reserve(accountId, 'bare'));
    expect(await send(reserve(accountId, 'bare'))).toEqual(repeated);
    await send(reserve(accountId, 'closed', 'order'));
    const capture = { type: 'CaptureReservation', data: { accountId, reservationId: 'closed' } } as const;
    expect(await send(capture)).toEqual(done);
    expect(await send(capture)).toEqual(repeated);
    expect(await send(reserve(accountId, 'closed', 'order'))).toEqual(repeated);
  });

  it('succeeds for five of six concurrent requests with funds for five', async () => {
    const accountId = await funded('5000.00');
    const replies = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => send(reserve(accountId, id))));
    expect(replies.slice(0, 5)).toEqual([done, done, done, done, done]);
    expect(replies[5]).toEqual(refusedAs('insufficient_funds'));
  });

  it('uses the last slot of a quota once for two concurrent requests', async () => {
    const accountId = await funded('5000.00');
    const counted = (id: string): AccountCommand => {
      const command = reserve(accountId, id) as CreateReservation;
      return { ...command, data: { ...command.data, quota: { name: 'issue 2030-01', limit: 2 } } };
    };
    await send(counted('a'));
    const replies = await Promise.all([send(counted('b')), send(counted('c'))]);
    expect(replies).toEqual([done, refusedAs('quota_exceeded')]);
    await send({ type: 'ReleaseReservation', data: { accountId, reservationId: 'a' } });
    expect(await send(counted('c'))).toEqual(done);
  });
});

describe('CreateReservations', () => {
  it('decides each reservation as if it were created alone, in order, and recognizes repeats', async () => {
    const accountId = await funded('2500.00');
    await send(reserve(accountId, 'known', { made: 'before' }));
    const reservations = ['a', 'known', 'b', 'c'].map((id) => {
      const { accountId: _, ...reservation } = (reserve(accountId, id, { made: id }) as CreateReservation).data;
      return id === 'c' ? { ...reservation, amount: '500.00' } : reservation;
    });
    const command: CreateReservations = { type: 'CreateReservations', data: { accountId, reservations } };
    const repeated = { ok: true, repeated: true };
    expect(await send<CommandReply<readonly Reply[]>>(command)).toEqual({
      ...done,
      answer: [done, { ...repeated, answer: { made: 'before' } }, refusedAs('insufficient_funds'), done],
    });
    expect(await send<CommandReply<readonly Reply[]>>(command)).toEqual({
      ...done,
      answer: [
        { ...repeated, answer: { made: 'a' } },
        { ...repeated, answer: { made: 'before' } },
        refusedAs('insufficient_funds'),
        { ...repeated, answer: { made: 'c' } },
      ],
    });
  });
});
