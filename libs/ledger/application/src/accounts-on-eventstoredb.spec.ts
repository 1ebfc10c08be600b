import 'reflect-metadata';
import {
  beforeFirst,
  type CommandMessage,
  type CommandReply,
  exponentialBackoff,
  ReadYourWrites,
  type Process,
  Progress,
  type Projection,
  type RecordedEvent,
  runProcess,
  type RunningSubscription,
  runProjection,
  verifyLog,
} from '@florin/event-sourcing';
import {
  allEvents,
  InMemoryCheckpointStore,
  InMemorySnapshotStore,
  type InMemoryTransaction,
} from '@florin/event-sourcing/testing';
import { EventStoreDbEventStore, isTransientEventStoreError } from '@florin/event-store-eventstoredb';
import { FakeEventStoreDb } from '@florin/event-store-eventstoredb/testing';
import { formatMoney, parseMoney, randomId, serviceActor } from '@florin/kernel';
import type { AccountCommand, AccountEvent, CreateReservations } from '@florin/ledger-domain';
import * as fc from 'fast-check';
import { AccountController } from './account.controller';

const faultInjections = {
  'loses the next append before it is stored': ({ faults }) => faults.plan('append', { kind: 'drop', when: 'before' }),
  'loses the response to the next append': ({ faults }) => faults.plan('append', { kind: 'drop', when: 'after' }),
  'executes the next append twice': ({ faults }) => faults.plan('append', { kind: 'duplicate' }),
  'refuses the next append': ({ faults }) => faults.unavailable('append'),
  'refuses the next read': ({ faults }) => faults.unavailable('read'),
  'loses the next page in transit': ({ faults }) => faults.plan('read', { kind: 'drop', when: 'after' }),
  'repeats the next subscription': ({ faults }) => faults.plan('subscribe', { kind: 'duplicate' }),
  'drops all connections': (server) => server.dropConnections(),
  'is restarted': (server) => server.restart(),
} satisfies Record<string, (server: FakeEventStoreDb) => void | Promise<void>>;

interface Step {
  readonly account: string;
  readonly does: 'deposit' | 'reserve' | 'reserve in bulk';
  readonly cents: number;
  /** Sends the same command concurrently through both replicas. */
  readonly twice: boolean;
  readonly fault: keyof typeof faultInjections | undefined;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    account: fc.constantFrom('acme-live', 'acme-sandbox', 'ida-live'),
    does: fc.constantFrom('deposit', 'reserve', 'reserve in bulk'),
    cents: fc.integer({ min: 1, max: 50_000 }),
    twice: fc.boolean(),
    fault: fc.option(fc.constantFrom(...(Object.keys(faultInjections) as (keyof typeof faultInjections)[])), {
      nil: undefined,
    }),
  }),
  { minLength: 20, maxLength: 40 },
);

/** Closes every reservation: captures amounts with even cents, releases the others. */
const settling: Process = {
  name: 'settling',
  categories: ['account'],
  eventTypes: ['FundsReserved'],
  react: ({ stream, data }) => {
    const { reservationId, amount } = JSON.parse(data) as Extract<AccountEvent, { type: 'FundsReserved' }>['data'];
    const type = parseMoney(amount) % 2n === 0n ? 'CaptureReservation' : 'ReleaseReservation';
    const accountId = stream.slice('account-'.length);
    return [{ context: 'ledger', key: accountId, command: { type, data: { accountId, reservationId } } }];
  },
};

type Balances = Record<string, { available: bigint; held: bigint; spent: bigint }>;

/** Computes the balances from the amounts, not from the balances in the events. */
function addUp(balances: Balances, events: readonly RecordedEvent[]): Balances {
  for (const { stream, type, data } of events) {
    const balance = (balances[stream] ??= { available: 0n, held: 0n, spent: 0n });
    const amount = parseMoney((JSON.parse(data) as AccountEvent['data']).amount);
    if (type === 'FundsDeposited') balance.available += amount;
    if (type === 'FundsReserved' || type === 'ReservationReleased') {
      const held = type === 'FundsReserved' ? amount : -amount;
      balance.held += held;
      balance.available -= held;
    }
    if (type === 'ReservationCaptured') {
      balance.held -= amount;
      balance.spent += amount;
    }
  }
  return balances;
}

/** Two replicas of the ledger, a process and a read model on a server with injected faults. */
class LedgerReplicas {
  readonly readModel: Balances = {};
  readonly accepted = new Map<string, Step>();
  private readonly checkpoints = new InMemoryCheckpointStore();
  private readonly snapshots = new InMemorySnapshotStore();
  private readonly progress = new Progress();
  private readonly stores: readonly EventStoreDbEventStore[];
  private readonly controllers: readonly AccountController[];
  private readonly subscriptions: readonly RunningSubscription[];
  private turn = 0;

  constructor(private readonly server: FakeEventStoreDb) {
    const options = { appendTimeoutMs: 2_000, retryForMs: 1_000, backoff: exponentialBackoff(2, 50) };
    this.stores = [0, 1].map(() => new EventStoreDbEventStore(server.url, options));
    this.controllers = this.stores.map(
      (store) => new AccountController(store, this.snapshots, { now: () => new Date() }),
    );
    const projection: Projection<InMemoryTransaction> = {
      name: 'balances',
      categories: ['account'],
      project: async (events, tx) => tx.onCommit(() => addUp(this.readModel, events)),
    };
    const bus = { request: <Reply>(message: CommandMessage) => this.ask<Reply>(message), send: () => Promise.reject() };
    this.subscriptions = this.stores.flatMap((store) => {
      const runtime = this.runtimeOn(store);
      return [runProcess(settling, bus, runtime, 2), runProjection(projection, runtime, 2)];
    });
  }

  async take(step: Step): Promise<void> {
    const id = randomId();
    if (step.fault !== undefined) await faultInjections[step.fault](this.server);
    const message = messageOf(id, step);
    const replies = await Promise.all(Array.from({ length: step.twice ? 2 : 1 }, () => this.untilReply(message)));
    // A concurrent deposit may let one of two identical commands succeed after the other was refused.
    for (const reply of replies) for (const accepted of acceptedIn(reply, id)) this.accepted.set(accepted, step);
  }

  /** Waits until the process and the read model have caught up and store no more events. */
  async settle(): Promise<void> {
    const [store] = this.stores;
    const readYourWrites = new ReadYourWrites({
      store: store!,
      checkpoints: this.checkpoints,
      progress: this.progress,
    });
    for (let head = beforeFirst - 1n; head !== (await store!.head());) {
      head = await store!.head();
      await readYourWrites.waitUntilCaughtUp(`process ${settling.name}`);
      await readYourWrites.waitUntilCaughtUp('balances');
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
    await Promise.all(this.stores.map((store) => store.close()));
  }

  get states(): string[] {
    return this.subscriptions.map((subscription) => subscription.status().state);
  }

  private runtimeOn(store: EventStoreDbEventStore) {
    const note = (): void => undefined;
    return {
      store,
      checkpoints: this.checkpoints.another(),
      progress: this.progress,
      log: { info: note, warn: note, error: note },
      isTransient: isTransientEventStoreError,
      backoff: exponentialBackoff(2, 50),
      balanceEveryMs: 20,
    };
  }

  /** Retries the same command until there is a reply, as a client does. */
  private async untilReply(message: CommandMessage): Promise<CommandReply<unknown>> {
    for (;;) {
      try {
        return await this.ask<CommandReply<unknown>>(message);
      } catch (error) {
        if (!isTransientEventStoreError(error)) throw error;
      }
    }
  }

  private async ask<Reply>(message: CommandMessage): Promise<Reply> {
    const controller = this.controllers[this.turn++ % this.controllers.length]!;
    const received: unknown = JSON.parse(JSON.stringify(message));
    const reply =
      message.command.type === 'CreateReservations'
        ? await controller.createAll(received as CommandMessage<CreateReservations>)
        : await controller.handle(received as CommandMessage<AccountCommand>);
    return reply as Reply;
  }
}

/** The references of accepted deposits and reservations. */
function acceptedIn(reply: CommandReply<unknown>, id: string): readonly string[] {
  if (!reply.ok) return [];
  if (!Array.isArray(reply.answer)) return [id];
  return (reply.answer as CommandReply[]).flatMap(({ ok }, index) => (ok ? [`${id}-${index}`] : []));
}

function commandOf(id: string, { account: accountId, does, cents }: Step): AccountCommand | CreateReservations {
  const shared = { amount: formatMoney(BigInt(cents)), description: '' };
  const requestedAt = new Date().toISOString();
  const reservation = (id: string) => ({ ...shared, reference: id, reservationId: id, fingerprint: id, requestedAt });
  switch (does) {
    case 'deposit':
      return {
        type: 'DepositFunds',
        data: { accountId, ...shared, reference: id, depositId: id, fingerprint: id, fee: '0.00' },
      };
    case 'reserve':
      return { type: 'CreateReservation', data: { accountId, ...reservation(id) } };
    default: {
      const reservations = [0, 1, 2].map((index) => reservation(`${id}-${index}`));
      return { type: 'CreateReservations', data: { accountId, reservations } };
    }
  }
}

function messageOf(id: string, step: Step): CommandMessage<AccountCommand | CreateReservations> {
  const { account } = step;
  const command = commandOf(id, step);
  return {
    context: 'ledger',
    key: account,
    id,
    command,
    headers: { correlationId: id, causationId: id, actor: serviceActor('test') },
  };
}

const ofType = (log: readonly RecordedEvent[], ...types: AccountEvent['type'][]): RecordedEvent[] =>
  log.filter(({ type }) => types.some((wanted) => wanted === type));

describe('Accounts on EventStoreDB with faults between ledger and server', () => {
  let server: FakeEventStoreDb;
  let replicas: LedgerReplicas;
  let observer: EventStoreDbEventStore;

  async function begin(): Promise<void> {
    server = await FakeEventStoreDb.start();
    replicas = new LedgerReplicas(server);
    observer = new EventStoreDbEventStore(server.url);
  }

  async function end(): Promise<void> {
    await replicas.close();
    await observer.close();
    await server.stop();
  }

  it('lose no money and no reply, and the read model matches the log', async () => {
    const property = fc.asyncProperty(steps, async (sequence) => {
      for (let first = 0; first < sequence.length; first += 5)
        await Promise.all(sequence.slice(first, first + 5).map((step) => replicas.take(step)));
      await replicas.settle();
      const log = await allEvents(observer, { after: beforeFirst });
      const stored = ofType(log, 'FundsDeposited', 'FundsReserved').map(
        ({ data }) => (JSON.parse(data) as AccountEvent['data']).reference,
      );
      expect(stored.sort()).toEqual([...replicas.accepted.keys()].sort());
      const ended = ofType(log, 'ReservationCaptured', 'ReservationReleased');
      expect(ended).toHaveLength(ofType(log, 'FundsReserved').length);
      const balances = addUp({}, log);
      expect(replicas.readModel).toEqual(balances);
      for (const { available, held } of Object.values(balances)) expect([available >= 0n, held]).toEqual([true, 0n]);
      expect((await verifyLog(observer)).broken).toEqual([]);
      expect(new Set(replicas.states)).toEqual(new Set(['running']));
    });
    await fc.assert(property.beforeEach(begin).afterEach(end), { numRuns: 4, endOnFailure: true });
  }, 60_000);
});
