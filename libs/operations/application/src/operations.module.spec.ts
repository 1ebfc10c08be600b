import 'reflect-metadata';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import {
  CLOCK,
  COMMAND_BUS,
  CommandHandler,
  type CommandMessage,
  type CommandReply,
  EVENT_STORE,
  patternOf,
  Progress,
  runProcess,
  type ReplyOf,
  type RunningSubscription,
  SNAPSHOT_STORE,
} from '@florin/event-sourcing';
import {
  Follower,
  InMemoryCheckpointStore,
  InMemoryEventStore,
  InMemorySnapshotStore,
  silentLog,
} from '@florin/event-sourcing/testing';
import { type Command, randomId, serviceActor, systemClock } from '@florin/kernel';
import { accountAggregate, type AccountCommand, accountCommandTypes } from '@florin/ledger-domain';
import { HOLDER_VAULT, type IssuerResponse, type Quote, UNCONFIRMED_HOLDER_KEYS } from '@florin/operations-domain';
import { Controller, Global, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type Issuers, ISSUERS } from './issuer.port';
import { OperationsModule } from './operations.module';
import { operationsProcess } from './operations.process';
import { InMemoryVault } from './testing/simulation/in-memory-vault';
import { ida, products, requestOf, type RequestReply } from './testing/simulation/sample-companies';
import { UNFINISHED_OPERATIONS } from './unfinished-operations.port';

const store = new InMemoryEventStore();
const bus = new InProcessCommandBus({ onFailedSend: () => undefined });
const vault = new InMemoryVault();

/** Resolves the issuer call in progress. */
let respond: (response: IssuerResponse) => void;
let onCall: () => void = () => undefined;
const issuers: Issuers = {
  sandbox: {
    needsHolder: true,
    execute: () =>
      new Promise((resolve) => {
        respond = resolve;
        onCall();
      }),
  },
};

@Controller()
class TestLedger {
  private readonly accounts = new CommandHandler(accountAggregate, { store, clock: systemClock });

  @MessagePattern(accountCommandTypes.map((type) => patternOf('ledger', type)))
  handle(@Payload() message: CommandMessage<AccountCommand>): Promise<ReplyOf<typeof accountAggregate>> {
    return this.accounts.handle(message.command.data.accountId, message.command, message);
  }
}

const ports = [
  { provide: EVENT_STORE, useValue: store },
  { provide: SNAPSHOT_STORE, useValue: new InMemorySnapshotStore() },
  { provide: COMMAND_BUS, useValue: bus },
  { provide: CLOCK, useValue: systemClock },
  { provide: ISSUERS, useValue: issuers },
  { provide: HOLDER_VAULT, useValue: vault },
  { provide: UNCONFIRMED_HOLDER_KEYS, useValue: { unconfirmed: async () => [] } },
  { provide: UNFINISHED_OPERATIONS, useValue: { unchangedSince: async () => [] } },
];

@Global()
@Module({ providers: ports, exports: ports })
class TestPlatform {}

const operations = OperationsModule.forRoot({
  issuerTimeoutMs: 60_000,
  issuerConcurrency: 10,
  minimums: { issue: '10.00', topup: '10.00' },
  log: silentLog,
});

@Module({ imports: [TestPlatform, operations], controllers: [TestLedger] })
class TestApplication {}

let app: INestMicroservice;
let process: RunningSubscription;
let isClosed = false;

async function close(): Promise<void> {
  if (isClosed) return;
  isClosed = true;
  await process.stop();
  await app.close();
}

beforeAll(async () => {
  app = await NestFactory.createMicroservice(TestApplication, { strategy: bus.transport, logger: false });
  await app.listen();
  process = runProcess(operationsProcess, bus, {
    store,
    checkpoints: new InMemoryCheckpointStore(),
    progress: new Progress(),
    log: silentLog,
    isTransient: () => false,
  });
});

afterAll(close);

const send = <Reply = CommandReply>(context: string, command: Command<string, unknown>): Promise<Reply> => {
  const headers = { correlationId: 'request', causationId: 'request', actor: serviceActor('test') };
  return bus.request<Reply>({ context, key: 'k', id: randomId(), command, headers });
};

async function prepare(): Promise<void> {
  const { accountId, holderId, companyId, environment } = ida;
  const deposit = { depositId: 'd', reference: 'd', amount: '500.00', fee: '0.00', description: '', fingerprint: 'd' };
  await send('ledger', { type: 'DepositFunds', data: { accountId, ...deposit } });
  await send('operations', { type: 'DefineProduct', data: { ...products.issue, requestId: 'p' } });
  const sealed = await vault.seal(holderId, { name: 'Ida', email: 'ida@example.com' });
  const holder = { holderId, companyId, environment, kind: 'individual', externalId: 'i', status: 'active', sealed };
  const request = { requestId: 'r', fingerprint: 'f', createdAt: '2030-01-01T00:00:00.000Z' };
  await send('operations', { type: 'RegisterHolder', data: { accountId, ...holder, ...request } });
}

const issue = (key: string) => requestOf(ida, key, { type: 'issue', amount: '100.00' });

describe('OperationsModule', () => {
  it('runs an operation from the request to its completion on a bus', async () => {
    await prepare();
    const log = new Follower(store, { after: 0n });
    const called = new Promise<void>((resolve) => (onCall = resolve));
    expect(await send<RequestReply>('operations', issue('a'))).toMatchObject({ ok: true, answer: { total: '103.20' } });
    await called;
    respond({ outcome: 'accepted', last4: '4242' });
    await log.until(({ events }) => events.some(({ type }) => type === 'OperationCompleted'));
    await log.stop();

    const { cardId } = JSON.parse(log.events.find(({ type }) => type === 'CardIssued')!.data) as { cardId: string };
    const freeze = { type: 'FreezeCard', data: { cardId, accountId: ida.accountId, requestId: 'f' } };
    expect(await send('operations', freeze)).toMatchObject({ ok: true, answer: { cardId, status: 'frozen' } });
  });

  it('quotes operations and records payments', async () => {
    const { type, data } = { ...issue('q'), type: 'QuoteOperation' };
    const quote = await send<CommandReply<Quote>>('operations', { type, data });
    expect(quote).toMatchObject({ ok: true, answer: { total: '103.20' } });
    const payment = { transactionId: 't', cardId: 'unknown', accountId: ida.accountId, payment: {}, fingerprint: 'f' };
    const recorded = await send('operations', { type: 'RecordTransaction', data: payment });
    expect(recorded).toMatchObject({ ok: false, refusal: { refused: 'not_found' } });
  });

  it('confirms the key of a registered holder only', async () => {
    const { companyId, environment, accountId } = ida;
    const register = (holderId: string, externalId: string) => {
      const holder = {
        holderId,
        companyId,
        environment,
        kind: 'individual',
        externalId,
        status: 'active',
        sealed: 's',
      };
      const request = { requestId: holderId, fingerprint: 'f', createdAt: '2030-01-01T00:00:00.000Z' };
      return send('operations', { type: 'RegisterHolder', data: { accountId, ...holder, ...request } });
    };
    expect(await register('new', 'new')).toMatchObject({ ok: true });
    expect(await register('refused', 'new')).toMatchObject({ ok: false });
    expect([vault.confirmed.has('new'), vault.confirmed.has('refused')]).toEqual([true, false]);
  });

  it('destroys only the key of the erased holder', async () => {
    const { accountId, holderId } = ida;
    const sealed = await vault.seal(holderId, { name: 'Ida', email: 'ida@example.com' });
    const erase = { type: 'EraseHolder', data: { accountId, holderId: 'unknown' } };
    expect(await send('operations', erase)).toMatchObject({ ok: false, refusal: { refused: 'holder_unknown' } });
    expect(await vault.unseal('unknown', sealed)).toBeDefined();
    const called = new Promise<void>((resolve) => (onCall = resolve));
    await send('operations', issue('b'));
    await called;
    expect(await send('operations', { ...erase, data: { accountId, holderId } })).toMatchObject({ ok: true });
    expect(await vault.unseal(holderId, sealed)).toBeUndefined();
  });

  it('waits for the call in progress on shutdown and stores its response', async () => {
    let closed = false;
    const closing = close().then(() => (closed = true));
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(false);
    respond({ outcome: 'accepted', last4: '4242' });
    await closing;
    const { events } = await store.readAll({ after: 0n });
    expect(events.filter(({ type }) => type === 'IssuerAccepted')).toHaveLength(2);
  });
});
