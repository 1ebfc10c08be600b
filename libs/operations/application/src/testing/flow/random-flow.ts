import { assertNever, type Command, deterministicId, formatMoney, randomId } from '@florin/kernel';
import { type OperationType, operationTypes, type RequestOperation } from '@florin/operations-domain';
import * as fc from 'fast-check';
import type { FlowWorld } from './flow-world';
import { companies, operationIdOf, requestOf, type RequestReply, type SampleCompany } from './sample-companies';
import type { Behaviour } from './scripted-issuer';

/** Under each key of a company one operation is asked for, again and again. */
interface Plan {
  readonly type: OperationType;
  readonly cents: number;
  readonly behaviour: Behaviour;
}

interface Step {
  readonly does: (typeof doings)[number];
  readonly replica: number;
  readonly company: number;
  readonly key: number;
  /** Which of the old messages. */
  readonly message: number;
  /** So many turns are granted before the next step. */
  readonly turns: number;
}

export interface RandomFlow {
  readonly replicas: number;
  readonly plans: readonly Plan[];
  readonly steps: readonly Step[];
  /** Decides who gets the next turn. */
  readonly seed: number;
}

/** What was asked for, and the answer, if there ever was one. */
export interface Asked {
  readonly command: RequestOperation;
  reply?: RequestReply;
}

const keysOfEach = 2;

/** What is named more than once happens more often. */
const doings = [
  'request',
  'request',
  'request',
  'request',
  'request',
  'request',
  'request',
  'request',
  'request other body',
  'advance',
  'advance',
  'advance',
  'freeze',
  'unfreeze',
  'pay',
  'resolve as completed',
  'resolve as completed',
  'resolve as failed',
  'resolve as failed',
  'redeliver',
  'redeliver',
  'redeliver',
  'redeliver',
  'crash',
  'crash',
  'let a moment pass',
  'let the deadline pass',
  'watchdog',
] as const;

const behaviours: readonly Behaviour[] = [
  'accepts',
  'accepts',
  'declines',
  'mumbles',
  'never answers',
  'accepts too late',
  'breaks',
];

const plan: fc.Arbitrary<Plan> = fc.record({
  type: fc.constantFrom(...operationTypes),
  cents: fc.integer({ min: 500, max: 20_000 }),
  behaviour: fc.constantFrom(...behaviours),
});

/** Few of everything, so that the same things meet again and again. */
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom(...doings),
  replica: fc.nat({ max: 1 }),
  company: fc.nat({ max: companies.length - 1 }),
  key: fc.nat({ max: keysOfEach - 1 }),
  message: fc.nat(),
  turns: fc.nat({ max: 12 }),
});

const planCount = companies.length * keysOfEach;

export const randomFlow: fc.Arbitrary<RandomFlow> = fc.record({
  replicas: fc.integer({ min: 1, max: 2 }),
  plans: fc.array(plan, { minLength: planCount, maxLength: planCount }),
  steps: fc.array(step, { maxLength: 40, size: 'max' }),
  seed: fc.nat(),
});

/** Plays one flow, up to the point where the last turn of its last step is granted. */
export class FlowPlayer {
  readonly asked: Asked[] = [];

  constructor(
    private readonly world: FlowWorld,
    private readonly flow: RandomFlow,
  ) {
    companies.forEach((company, number) => {
      for (let key = 0; key < keysOfEach; key++) {
        world.journal.plan(operationIdOf(company, `${key}`), this.planOf(number, key).behaviour);
      }
    });
  }

  async play(): Promise<void> {
    for (const next of this.flow.steps) {
      this.take(next);
      await this.world.turns.grant(next.turns);
    }
  }

  private take(next: Step): void {
    const company = companies[next.company]!;
    const { cardId, accountId } = company;
    switch (next.does) {
      case 'request':
      case 'request other body':
        return this.ask(next, company);
      case 'advance': {
        const operationId = operationIdOf(company, `${next.key}`);
        return this.send(next, { type: 'AdvanceOperation', data: { operationId } });
      }
      case 'freeze':
        return this.send(next, { type: 'FreezeCard', data: { cardId, accountId, requestId: randomId() } });
      case 'unfreeze':
        return this.send(next, { type: 'UnfreezeCard', data: { cardId, accountId, requestId: randomId() } });
      case 'pay':
        return this.send(next, this.payment(next, company));
      case 'resolve as completed':
        return this.send(next, this.resolution(next, company, 'completed'));
      case 'resolve as failed':
        return this.send(next, this.resolution(next, company, 'failed'));
      case 'redeliver':
        return this.world.redeliver(next.message, next.replica);
      case 'crash':
        return this.world.crash(next.replica);
      case 'let a moment pass':
        return this.world.time.advance(600);
      case 'let the deadline pass':
        return this.world.time.advance(12_000);
      case 'watchdog':
        return void this.world.replica(next.replica).watchdog.tick();
      default:
        return assertNever(next.does);
    }
  }

  private ask(next: Step, company: SampleCompany): void {
    const { type, cents } = this.planOf(next.company, next.key);
    const amount = formatMoney(BigInt(next.does === 'request' ? cents : cents + 1));
    const asked: Asked = { command: requestOf(company, `${next.key}`, { type, amount }) };
    this.asked.push(asked);
    const replied = this.world.send<RequestReply>('operations', company.accountId, asked.command, next.replica);
    replied.then((reply) => (asked.reply = reply)).catch(() => undefined);
  }

  /** Nobody looks at the answer; that it may be an error is part of the game. */
  private send({ replica, company }: Step, command: Command<string, unknown>): void {
    this.world.send('operations', companies[company]!.accountId, command, replica).catch(() => undefined);
  }

  private payment({ key, company }: Step, { accountId, cardId }: SampleCompany): Command<string, unknown> {
    const transactionId = deterministicId('payment', accountId, `${key}`);
    const amount = formatMoney(BigInt(this.planOf(company, key).cents) / 10n);
    const facts = { reference: transactionId, currency: 'USD', merchant: 'Shop', country: 'NL', description: '' };
    const kind = { type: 'purchase', status: 'completed', occurredAt: this.world.time.now().toISOString() } as const;
    const payment = { transactionId, amount, ...kind, ...facts };
    return { type: 'RecordTransaction', data: { transactionId, cardId, accountId, payment, fingerprint: amount } };
  }

  private resolution({ key }: Step, company: SampleCompany, outcome: string): Command<string, unknown> {
    const operationId = operationIdOf(company, `${key}`);
    return { type: 'ResolveReview', data: { operationId, outcome, note: 'Asked the issuer' } };
  }

  private planOf(company: number, key: number): Plan {
    return this.flow.plans[company * keysOfEach + key]!;
  }
}
