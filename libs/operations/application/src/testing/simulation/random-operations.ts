import { decidedByOne } from '@florin/kernel/testing';
import type { RecordedEvent } from '@florin/event-sourcing';
import {
  RepeatableRequests,
  type RandomActor,
  type RandomSimulation,
  seededChoice,
} from '@florin/event-sourcing/testing';
import { assertNever, canonicalJson, type Command, deterministicId, formatMoney, randomId } from '@florin/kernel';
import {
  isReservedElsewhere,
  type OperationType,
  operationTypes,
  type Order,
  type RequestOperation,
} from '@florin/operations-domain';
import * as fc from 'fast-check';
import { violationsIn } from './operations-invariants';
import { OperationsSimulation } from './operations-simulation';
import { type BulkReply, bulkOf, companies, operationIdOf, requestOf, type SampleCompany } from './sample-companies';
import type { Behavior } from './scripted-issuer';

/** The operation that is requested, again and again, with one key of a company. */
interface Plan {
  readonly type: OperationType;
  readonly cents: number;
  readonly behavior: Behavior;
}

/** With their weights. */
const kinds = {
  request: 6,
  'request with another body': 1,
  'request of another type': 1,
  'bulk request': 2,
  advance: 2,
  freeze: 1,
  unfreeze: 1,
  close: 1,
  pay: 1,
  'resolve as completed': 2,
  'resolve as failed': 2,
  'wait a moment': 1,
  'wait past the deadline': 1,
  watchdog: 1,
} as const;

interface Action {
  readonly does: keyof typeof kinds;
  readonly company: number;
  readonly key: number;
}

const keysPerCompany = 2;

const behaviors: readonly Behavior[] = [
  'accepts',
  'accepts',
  'declines',
  'responds unclearly',
  'never responds',
  'accepts too late',
  'breaks',
];

const plan: fc.Arbitrary<Plan> = fc.record({
  type: fc.constantFrom(...operationTypes),
  cents: fc.integer({ min: 500, max: 20_000 }),
  behavior: fc.constantFrom(...behaviors),
});
const planCount = companies.length * keysPerCompany;

/** Few companies and keys, so that the actions affect the same objects. */
export function randomOperations(history: readonly RecordedEvent[]): RandomSimulation<Action, readonly Plan[]> {
  return {
    name: 'Operations',
    setup: fc.array(plan, { minLength: planCount, maxLength: planCount }),
    actions: Object.entries(kinds).map(([does, weight]) => ({
      weight,
      arbitrary: fc.record({
        does: fc.constant(does as Action['does']),
        company: fc.nat({ max: companies.length - 1 }),
        key: fc.nat({ max: keysPerCompany - 1 }),
      }),
    })),
    maxActions: 40,
    maxSteps: 12,
    start: async ({ seed, replicas, setup }) => {
      const admission = { advancesWhenBusy: 1, advancesWhenIdle: 3, fewerPerRequest: 1, maxWaitMs: 1_000 };
      const overrides = { maxIssuesPerMonth: 1, issuerConcurrency: 2, admission };
      const choose = seededChoice(seed);
      return new OperationsActor(await OperationsSimulation.open({ history, replicas, choose, overrides }), setup);
    },
  };
}

class OperationsActor implements RandomActor<Action> {
  readonly requests: RepeatableRequests<RequestOperation, Order>;

  constructor(
    readonly simulation: OperationsSimulation,
    private readonly plans: readonly Plan[],
  ) {
    this.requests = new RepeatableRequests(simulation, 'operations');
    companies.forEach((company, number) => {
      for (let key = 0; key < keysPerCompany; key++) {
        simulation.journal.plan(operationIdOf(company, `${key}`), this.planOf({ company: number, key }).behavior);
      }
    });
  }

  async violations(): Promise<readonly string[]> {
    const log = await this.simulation.log();
    const storedFor = ({ operationId }: RequestOperation['data']) => log.operations.states.get(operationId)?.order;
    // Of two requests at the same time with reservations in two streams, one may get a reply that is undone afterwards.
    for (const entry of this.requests.entries) {
      const stored = storedFor(entry.command.data);
      const accepted = entry.reply?.ok === true ? entry.reply.answer : undefined;
      if (accepted !== undefined && stored !== undefined && isReservedElsewhere(accepted, stored)) delete entry.reply;
    }
    const wrongReplies = this.requests.entries.flatMap(({ command, reply }) => {
      if (reply?.ok !== true) return [];
      const stored = storedFor(command.data);
      const isRight =
        stored?.fingerprint === command.data.fingerprint && canonicalJson(reply.answer) === canonicalJson(stored);
      return isRight ? [] : [`${JSON.stringify(command)} got the reply ${JSON.stringify(reply.answer)}`];
    });
    return [...(await violationsIn(this.simulation)), ...wrongReplies];
  }

  perform(action: Action, replica: number): void {
    const company = companies[action.company]!;
    const { cardId, accountId } = company;
    const card = { cardId, accountId, requestId: randomId() };
    const operationId = operationIdOf(company, `${action.key}`);
    switch (action.does) {
      case 'request':
      case 'request with another body':
      case 'request of another type':
        return this.request(action, company, replica);
      case 'bulk request':
        return this.requestAll(action, company, replica);
      case 'advance':
        return this.send(company, { type: 'AdvanceOperation', data: { operationId } }, replica);
      case 'freeze':
        return this.send(company, { type: 'FreezeCard', data: card }, replica);
      case 'unfreeze':
        return this.send(company, { type: 'UnfreezeCard', data: card }, replica);
      case 'close':
        return this.send(company, { type: 'CloseCard', data: card }, replica);
      case 'pay':
        return this.send(company, this.payment(action, company), replica);
      case 'resolve as completed':
        return this.send(company, resolution(operationId, 'completed'), replica);
      case 'resolve as failed':
        return this.send(company, resolution(operationId, 'failed'), replica);
      case 'wait a moment':
        return this.simulation.time.advance(600);
      case 'wait past the deadline':
        return this.simulation.time.advance(12_000);
      case 'watchdog':
        return void this.simulation.replica(replica).watchdog.tick();
      default:
        return assertNever(action.does);
    }
  }

  private request(action: Action, company: SampleCompany, replica: number): void {
    const { type: planned, cents } = this.planOf(action);
    const amount = formatMoney(BigInt(action.does === 'request' ? cents : cents + 1));
    const other = planned === 'unload' ? 'service' : 'unload';
    const type = action.does === 'request of another type' ? other : planned;
    this.requests.send(company.accountId, requestOf(company, `${action.key}`, { type, amount }), replica);
  }

  /** One command for all keys of a company. Its replies are checked like those to single requests. */
  private requestAll(action: Action, company: SampleCompany, replica: number): void {
    const commands = Array.from({ length: keysPerCompany }, (_, key) => {
      const { type, cents } = this.planOf({ ...action, key });
      return requestOf(company, `${key}`, { type, amount: formatMoney(BigInt(cents)) });
    });
    const replied = this.simulation.send<BulkReply>('operations', company.accountId, bulkOf(commands), replica);
    const note = (reply: BulkReply): void => {
      if (!reply.ok) return;
      reply.answer.forEach((each, index) =>
        this.requests.entries.push({ key: company.accountId, command: commands[index]!, reply: each }),
      );
    };
    replied.then(note).catch(() => undefined);
  }

  /** The reply does not matter; it may be an error. */
  private send({ accountId }: SampleCompany, command: Command<string, unknown>, replica: number): void {
    this.simulation.send('operations', accountId, command, replica).catch(() => undefined);
  }

  private payment(action: Action, { accountId, cardId }: SampleCompany): Command<string, unknown> {
    const transactionId = deterministicId('payment', accountId, `${action.key}`);
    const amount = formatMoney(BigInt(this.planOf(action).cents) / 10n);
    const facts = { reference: transactionId, currency: 'USD', merchant: 'Shop', country: 'NL', description: '' };
    const occurredAt = this.simulation.time.now().toISOString();
    const payment = { transactionId, amount, type: 'purchase', status: 'completed', occurredAt, ...facts };
    return { type: 'RecordTransaction', data: { transactionId, cardId, accountId, payment, fingerprint: amount } };
  }

  private planOf({ company, key }: Pick<Action, 'company' | 'key'>): Plan {
    return this.plans[company * keysPerCompany + key]!;
  }
}

function resolution(operationId: string, outcome: string): Command<string, unknown> {
  return { type: 'ResolveReview', data: { operationId, outcome, note: 'The issuer confirmed it', ...decidedByOne } };
}
