import type { RecordedEvent } from '@florin/event-sourcing';
import type { PlannedCrash } from '@florin/event-sourcing/testing';
import { expectSound } from './testing/flow/flow-invariants';
import type { FlowLog } from './testing/flow/flow-log';
import { FlowWorld } from './testing/flow/flow-world';
import {
  acme,
  historyOf,
  ida,
  operationIdOf,
  type RequestParts,
  requestOf,
  type RequestReply,
  type SampleCompany,
} from './testing/flow/sample-companies';
import type { Behaviour } from './testing/flow/scripted-issuer';

interface Scene {
  readonly company: SampleCompany;
  readonly key: string;
  readonly parts: RequestParts;
  readonly behaviour: Behaviour;
  /** Where it ends when nobody crashes; with a crash around the issuer call it may as well end in review. */
  readonly end: string;
}

const scenes: readonly Scene[] = [
  { company: ida, key: 'issue', parts: { type: 'issue', amount: '100.00' }, behaviour: 'accepts', end: 'completed' },
  { company: ida, key: 'topup', parts: { type: 'topup', amount: '50.00' }, behaviour: 'accepts', end: 'completed' },
  {
    company: acme,
    key: 'service',
    parts: { type: 'service', amount: '20.00' },
    behaviour: 'accepts',
    end: 'completed',
  },
  { company: acme, key: 'decline', parts: { type: 'issue', amount: '30.00' }, behaviour: 'declines', end: 'failed' },
  { company: acme, key: 'review', parts: { type: 'topup', amount: '40.00' }, behaviour: 'mumbles', end: 'review' },
];

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('500.00');
});
afterEach(() => FlowWorld.closeAll());

function ask(world: FlowWorld): Promise<(RequestReply | undefined)[]> {
  return Promise.all(
    scenes.map(({ company, key, parts }) => {
      const command = requestOf(company, key, parts);
      return world.send<RequestReply>('operations', company.accountId, command).catch(() => undefined);
    }),
  );
}

async function play(crash: PlannedCrash | undefined, clientRepeats: boolean): Promise<FlowWorld> {
  const world = await FlowWorld.open({ history });
  for (const { company, key, behaviour } of scenes) world.journal.plan(operationIdOf(company, key), behaviour);
  world.plannedCrash = crash;
  void ask(world);
  await world.turns.grantAll();
  if (clientRepeats) {
    const replies = ask(world);
    await world.turns.grantAll();
    for (const reply of await replies) expect(reply).toMatchObject({ ok: true });
  }
  await world.comeToRest();
  return world;
}

function endsIn(log: FlowLog): string[] {
  return scenes.map(({ company, key }) => {
    return log.operations.states.get(operationIdOf(company, key))?.phase ?? 'none';
  });
}

function reviewReasonOf(log: FlowLog, { company, key }: Scene): string | undefined {
  return log.operations
    .eventsOf(operationIdOf(company, key))
    .flatMap(({ type, data }) => (type === 'OperationSentToReview' ? [data.reason] : []))[0];
}

describe('A process that dies around any append', () => {
  const ends = scenes.map(({ end }) => end);

  it('has something to die of: without a crash everything ends as it should', async () => {
    const world = await play(undefined, false);
    expect(endsIn(await expectSound(world))).toEqual(ends);
    expect(world.journal.calls).toHaveLength(scenes.length);
  });

  it.each([
    ['before', true],
    ['before', false],
    ['after', true],
    ['after', false],
  ] as const)('right %s it, is healed (client repeats: %s)', async (when, clientRepeats) => {
    const crashFree = await play(undefined, clientRepeats);
    for (let append = 1; append <= crashFree.appends; append++) {
      const world = await play({ append, when }, clientRepeats);
      const log = await expectSound(world);
      const healed = endsIn(log);
      expect(world.plannedCrash).toBeUndefined();
      healed.forEach((end, index) => {
        if (end === ends[index] || (end === 'none' && !clientRepeats)) return;
        // Only a call whose answer was lost may end otherwise, and then a person has to look.
        expect(reviewReasonOf(log, scenes[index]!)).toMatch(/^No issuer response was recorded/);
      });
      world.close();
    }
  });
});
