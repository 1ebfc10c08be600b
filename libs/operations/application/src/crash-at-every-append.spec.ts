import type { RecordedEvent } from '@florin/event-sourcing';
import type { PlannedCrash } from '@florin/event-sourcing/testing';
import { expectInvariants } from './testing/simulation/operations-invariants';
import type { OperationsLog } from './testing/simulation/operations-log';
import { OperationsSimulation } from './testing/simulation/operations-simulation';
import {
  acme,
  historyOf,
  ida,
  operationIdOf,
  type RequestParts,
  requestOf,
  type RequestReply,
  type SampleCompany,
} from './testing/simulation/sample-companies';
import type { Behavior } from './testing/simulation/scripted-issuer';

interface Scene {
  readonly company: SampleCompany;
  readonly key: string;
  readonly parts: RequestParts;
  readonly behavior: Behavior;
  /** The final phase without a crash. With a crash around the issuer call, it may also be `review`. */
  readonly end: string;
}

const scenes: readonly Scene[] = [
  { company: ida, key: 'issue', parts: { type: 'issue', amount: '100.00' }, behavior: 'accepts', end: 'completed' },
  { company: ida, key: 'topup', parts: { type: 'topup', amount: '50.00' }, behavior: 'accepts', end: 'completed' },
  {
    company: acme,
    key: 'service',
    parts: { type: 'service', amount: '20.00' },
    behavior: 'accepts',
    end: 'completed',
  },
  { company: acme, key: 'decline', parts: { type: 'issue', amount: '30.00' }, behavior: 'declines', end: 'failed' },
  {
    company: acme,
    key: 'review',
    parts: { type: 'topup', amount: '40.00' },
    behavior: 'responds unclearly',
    end: 'review',
  },
  { company: ida, key: 'unload', parts: { type: 'unload', amount: '20.00' }, behavior: 'accepts', end: 'completed' },
  {
    company: acme,
    key: 'declined unload',
    parts: { type: 'unload', amount: '15.00' },
    behavior: 'declines',
    end: 'failed',
  },
  {
    company: acme,
    key: 'unload in review',
    parts: { type: 'unload', amount: '10.00' },
    behavior: 'responds unclearly',
    end: 'review',
  },
  {
    company: acme,
    key: 'declined top-up',
    parts: { type: 'topup', amount: '12.00' },
    behavior: 'declines',
    end: 'failed',
  },
];

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('500.00');
});
afterEach(() => OperationsSimulation.closeAll());

function ask(simulation: OperationsSimulation): Promise<(RequestReply | undefined)[]> {
  return Promise.all(
    scenes.map(({ company, key, parts }) => {
      const command = requestOf(company, key, parts);
      return simulation.send<RequestReply>('operations', company.accountId, command).catch(() => undefined);
    }),
  );
}

async function play(crash: PlannedCrash | undefined, clientRepeats: boolean): Promise<OperationsSimulation> {
  const simulation = await OperationsSimulation.open({ history });
  for (const { company, key, behavior } of scenes) simulation.journal.plan(operationIdOf(company, key), behavior);
  simulation.plannedCrash = crash;
  void ask(simulation);
  await simulation.scheduler.runUntilIdle();
  if (clientRepeats) {
    const replies = ask(simulation);
    await simulation.scheduler.runUntilIdle();
    for (const reply of await replies) expect(reply).toMatchObject({ ok: true });
  }
  await simulation.settle();
  return simulation;
}

function endsIn(log: OperationsLog): string[] {
  return scenes.map(({ company, key }) => {
    return log.operations.states.get(operationIdOf(company, key))?.phase ?? 'none';
  });
}

function reviewReasonOf(log: OperationsLog, { company, key }: Scene): string | undefined {
  return log.operations
    .eventsOf(operationIdOf(company, key))
    .flatMap(({ type, data }) => (type === 'OperationSentToReview' ? [data.reason] : []))[0];
}

describe('A crash around any append', () => {
  const ends = scenes.map(({ end }) => end);

  it('is compared with a run without a crash, where every operation ends as planned', async () => {
    const simulation = await play(undefined, false);
    expect(endsIn(await expectInvariants(simulation))).toEqual(ends);
    expect(simulation.journal.calls).toHaveLength(scenes.length);
  });

  const cases = [
    ['before', true],
    ['before', false],
    ['after', true],
    ['after', false],
  ] as const;
  // Each test takes every sixteenth append, so that it is short on a slow machine.
  const parts = Array.from({ length: 16 }, (_, index) => index + 1);

  it.each(cases.flatMap(([when, clientRepeats]) => parts.map((first) => [when, clientRepeats, first] as const)))(
    'right %s it is recovered from (client repeats: %s, from append %i)',
    async (when, clientRepeats, first) => {
      const crashFree = await play(undefined, clientRepeats);
      for (let append = first; append <= crashFree.appends; append += parts.length) {
        const simulation = await play({ append, when }, clientRepeats);
        const log = await expectInvariants(simulation);
        const phases = endsIn(log);
        expect(simulation.plannedCrash).toBeUndefined();
        phases.forEach((end, index) => {
          if (end === ends[index] || (end === 'none' && !clientRepeats)) return;
          // Only a call whose response was lost may end differently, and then it is in review.
          expect(reviewReasonOf(log, scenes[index]!)).toMatch(/^No issuer response was recorded/);
        });
        simulation.close();
      }
    },
  );
});
