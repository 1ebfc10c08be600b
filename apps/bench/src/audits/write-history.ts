import { createPool, type DatabaseConnection } from '@florin/database';
import { CommandHandler, type EventStore } from '@florin/event-sourcing';
import { OrderedAppends, type OrderedEvent } from '@florin/event-store-postgres';
import { type AnyAggregate, type CommandOf, randomId, serviceActor } from '@florin/kernel';
import { accountAggregate } from '@florin/ledger-domain';
import { cardAggregate, operationAggregate, type Order } from '@florin/operations-domain';

export interface WrittenHistory {
  readonly events: number;
  readonly largestAccount: string;
}

const environment = 'sandbox';
/** Each card is issued by one operation and topped up by the next three. */
const operationsPerCard = 4;
const operationsPerAccount = 2_000;
/** Of a million events, the stream of the largest account has 200,000. */
const largestShare = 0.78;
const pageSize = 5_000;
const secondsBetween = 10;

/** Writes completed operations of many accounts, decided by the code of the product. */
export async function writeHistory(
  connection: DatabaseConnection,
  eventCount: number,
  progress: (message: string) => void,
): Promise<WrittenHistory> {
  const pool = createPool(connection, { max: 1 });
  const appends = new OrderedAppends(connection);
  const log = new WrittenLog(appends, () => progress(`${log.count} of ${eventCount} events written`));
  try {
    const largestAccount = await writeAccount(log, eventCount * largestShare, Infinity);
    while (log.count < eventCount) await writeAccount(log, eventCount - log.count, operationsPerAccount);
    await log.flush();
    await pool.query('VACUUM ANALYZE event_store.events');
    return { events: log.count, largestAccount };
  } finally {
    await Promise.all([pool.end(), appends.close()]);
  }
}

/** Collects events and writes them in large pages. The handlers keep the states, so nothing is read. */
class WrittenLog {
  count = 0;
  private waiting: OrderedEvent[] = [];
  private readonly store: EventStore = {
    append: async (stream, expectedRevision, events) => {
      for (const [index, event] of events.entries()) {
        this.waiting.push({ ...event, stream, revision: expectedRevision + 1 + index });
      }
      this.count += events.length;
      if (this.waiting.length >= pageSize) await this.flush();
    },
    readStream: async function* () {},
    ...{ readAll: neverUsed, head: neverUsed, subscribe: neverUsed },
  };

  constructor(
    private readonly appends: OrderedAppends,
    private readonly progress: () => void,
  ) {}

  runner<A extends AnyAggregate>(aggregate: A, now: () => Date, streamIdOf: (command: CommandOf<A>) => string) {
    const handler = new CommandHandler(aggregate, { store: this.store, clock: { now } });
    return async (command: CommandOf<A>): Promise<void> => {
      const id = randomId();
      const headers = { correlationId: id, causationId: id, actor: serviceActor('bench') };
      const reply = await handler.handle(streamIdOf(command), command, { id, headers });
      if (!reply.ok) throw new Error(`${command.type} was rejected: ${reply.refusal.message}`);
    };
  }

  async flush(): Promise<void> {
    const events = this.waiting;
    this.waiting = [];
    await this.appends.append(events);
    if (this.count % 100_000 < pageSize) this.progress();
  }
}

function neverUsed(): never {
  throw new Error('Only appends are expected here');
}

/** One account that is funded once and then issues and tops up cards. Returns its id. */
async function writeAccount(log: WrittenLog, maxEvents: number, maxOperations: number): Promise<string> {
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const now = (): Date => new Date(time);
  const account = log.runner(accountAggregate, now, ({ data }) => data.accountId);
  const operation = log.runner(operationAggregate, now, ({ data }) => data.operationId);
  const card = log.runner(cardAggregate, now, ({ data }) => data.cardId);
  const [companyId, holderId] = [randomId(), randomId()];
  const accountId = `${companyId}-${environment}`;
  const productId = 'virtual-usd';
  const text = { reference: 'bench', description: 'Card', fingerprint: 'f' };
  const funding = { depositId: randomId(), amount: '999999999999.00', fee: '0.00' };
  await account({ type: 'DepositFunds', data: { accountId, ...funding, ...text } });
  const end = log.count + maxEvents;
  let cardId = '';
  for (let number = 0; number < maxOperations && log.count < end; number++) {
    time += secondsBetween * 1_000;
    const at = now().toISOString();
    const [operationId, callId] = [randomId(), randomId()];
    const isIssue = number % operationsPerCard === 0;
    if (isIssue) cardId = randomId();
    const order: Order = {
      ...{
        operationId,
        companyId,
        environment,
        accountId,
        type: isIssue ? 'issue' : 'topup',
        productId,
        holderId,
        cardId,
      },
      ...{ amount: '100.00', fee: '3.20', total: '103.20', fingerprint: 'f', createdAt: at },
    };
    const { amount, total } = order;
    const reservation = { reservationId: operationId, amount: total, order: { ...order }, requestedAt: at };
    await account({ type: 'CreateReservation', data: { accountId, ...text, ...reservation } });
    await operation({ type: 'QueueOperation', data: { operationId, order } });
    if (!isIssue) await card({ type: 'StartTopup', data: { cardId, operationId, amount } });
    await operation({ type: 'StartIssuerCall', data: { operationId, callId, deadline: at } });
    const response = { outcome: 'accepted', last4: '4242', cardReference: 'crd' } as const;
    await operation({ type: 'RecordIssuerResponse', data: { operationId, callId, response, respondedAt: at } });
    const owner = { companyId, environment, accountId, holderId } as const;
    const issued = { cardId, ...owner, operationId, productId, name: 'Travel', last4: '4242', amount, createdAt: at };
    await card(
      isIssue ? { type: 'IssueCard', data: issued } : { type: 'TopUpCard', data: { cardId, operationId, amount } },
    );
    await account({ type: 'CaptureReservation', data: { accountId, reservationId: operationId } });
    await operation({ type: 'CompleteOperation', data: { operationId } });
  }
  return accountId;
}
