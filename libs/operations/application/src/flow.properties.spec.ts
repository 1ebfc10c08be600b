import type { RecordedEvent } from '@florin/event-sourcing';
import { checkRandomFlows, randomFlowsTimeoutMs, shuffled } from '@florin/event-sourcing/testing';
import { canonicalJson } from '@florin/kernel';
import { expectSound } from './testing/flow/flow-invariants';
import type { FlowLog } from './testing/flow/flow-log';
import { FlowWorld } from './testing/flow/flow-world';
import { type Asked, FlowPlayer, type RandomFlow, randomFlow } from './testing/flow/random-flow';
import { historyOf, type RequestReply } from './testing/flow/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('400.00');
});
afterEach(() => FlowWorld.closeAll());

/** Whoever was told that an operation exists can rely on it, and nobody is ever told two things. */
function dishonestAnswers(asked: readonly Asked[], log: FlowLog): string[] {
  return asked.flatMap(({ command, reply }) => {
    if (reply?.ok !== true) return [];
    const stored = log.operations.states.get(command.data.operationId)?.order;
    const isHonest = stored?.fingerprint === command.data.fingerprint && isSame({ ...stored, ...reply.answer }, stored);
    return isHonest ? [] : [`${JSON.stringify(command)} was answered with ${JSON.stringify(reply.answer)}`];
  });
}

/** Everything that was ever granted is asked for once more: the same answers, and nothing new in the log. */
async function harmfulRepeats(world: FlowWorld, asked: readonly Asked[]): Promise<string[]> {
  const before = await world.store.head();
  const granted = asked.filter(({ reply }) => reply?.ok);
  const again = granted.map(({ command }) => world.send<RequestReply>('operations', command.data.accountId, command));
  await world.turns.grantAll();
  const replies = await Promise.all(again);
  const different = granted.filter(({ reply }, index) => !isSame({ ...reply, repeated: true }, replies[index]));
  const written = Number((await world.store.head()) - before);
  return [
    ...different.map(({ command }) => `a repeat is answered otherwise: ${JSON.stringify(command)}`),
    ...(written === 0 ? [] : [`repeats wrote ${written} events`]),
  ];
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

async function check(flow: RandomFlow): Promise<void> {
  const world = await FlowWorld.open({
    history,
    replicas: flow.replicas,
    pick: shuffled(flow.seed),
    overrides: {
      issuesPerMonth: 1,
      issuerConcurrency: 2,
      admission: { advancesWhenBusy: 1, advancesWhenIdle: 3, fewerPerRequest: 1, patienceMs: 1_000 },
    },
  });
  try {
    const player = new FlowPlayer(world, flow);
    await player.play();
    await world.comeToRest();
    const log = await expectSound(world);
    const flaws = [...dishonestAnswers(player.asked, log), ...(await harmfulRepeats(world, player.asked))];
    expect([...flaws, ...(await world.redeliverAll())]).toEqual([]);
  } finally {
    world.close();
  }
}

describe('for any interleaving of requests, repeats, redeliveries, reviews, crashes and restarts', () => {
  it(
    'each operation ends, calls the issuer once at most, and no money is made or lost',
    async () => {
      await checkRandomFlows('Operations', randomFlow, check);
    },
    randomFlowsTimeoutMs,
  );
});
