import { canonicalJson, type Command } from '@florin/kernel';
import * as fc from 'fast-check';
import type { CommandReply } from '../../handle-command';
import { checkRandomFlows } from '../random-flows';
import type { SimulatedReplica } from './simulated-replica';
import type { Simulation } from './simulation';

type Fault = { readonly fault: 'redeliver'; readonly which: number } | { readonly fault: 'crash' };

export interface RandomRun<Action, Setup> {
  readonly setup: Setup;
  /** Decides the order of the steps. */
  readonly seed: number;
  readonly replicas: number;
  readonly actions: readonly {
    readonly action: Action | Fault;
    readonly replica: number;
    /** The number of steps before the next action. */
    readonly steps: number;
  }[];
}

/** What a context adds to a random simulation. */
export interface RandomActor<Action> {
  readonly simulation: Simulation<SimulatedReplica>;
  readonly requests: { repeatAll(): Promise<readonly string[]> };
  perform(action: Action, replica: number): void | Promise<void>;
  /** The violated invariants of the idle simulation. */
  violations(): Promise<readonly string[]>;
}

export interface RandomSimulation<Action, Setup> {
  readonly name: string;
  readonly setup: fc.Arbitrary<Setup>;
  /** The weights add up to 22; a redelivery has 4 and a crash 2. */
  readonly actions: readonly fc.WeightedArbitrary<Action>[];
  readonly maxActions: number;
  readonly maxSteps: number;
  start(run: RandomRun<Action, Setup>): Promise<RandomActor<Action>>;
}

const redelivery = { weight: 4, arbitrary: fc.record({ fault: fc.constant('redeliver' as const), which: fc.nat() }) };
const crash = { weight: 2, arbitrary: fc.constant({ fault: 'crash' as const }) };

/** Checks random runs of actions, redeliveries and crashes. A failure reports the seed and the smallest failing run. */
export async function checkSimulation<Action extends object, Setup>(
  { name, setup, actions, maxActions, maxSteps, start }: RandomSimulation<Action, Setup>,
  part: number,
): Promise<void> {
  const action = fc.record({
    action: fc.oneof<fc.WeightedArbitrary<Action | Fault>[]>(...actions, redelivery, crash),
    replica: fc.nat(1),
    steps: fc.nat(maxSteps),
  });
  const runs: fc.Arbitrary<RandomRun<Action, Setup>> = fc.record({
    setup,
    seed: fc.nat(),
    replicas: fc.integer({ min: 1, max: 2 }),
    actions: fc.array(action, { maxLength: maxActions, size: 'max' }),
  });
  await checkRandomFlows(name, part, runs, async (run) => check(run, await start(run)));
}

async function check<Action extends object>(
  run: RandomRun<Action, unknown>,
  actor: RandomActor<Action>,
): Promise<void> {
  const { simulation, requests } = actor;
  try {
    await simulation.scheduler.run(0);
    for (const { action, replica, steps } of run.actions) {
      if (!('fault' in action)) await actor.perform(action, replica);
      else if (action.fault === 'crash') simulation.crash(replica);
      else simulation.redeliver(action.which, replica);
      await simulation.scheduler.run(steps);
    }
    await simulation.settle();
    const violations = [...(await actor.violations()), ...(await requests.repeatAll())];
    expect([...violations, ...(await simulation.redeliverAll())]).toEqual([]);
  } finally {
    simulation.close();
  }
}

/** Requests of clients, which may repeat them at any time. */
export class RepeatableRequests<C extends Command<string, unknown>, Answer> {
  readonly entries: { readonly key: string; readonly command: C; reply?: CommandReply<Answer, string> }[] = [];

  constructor(
    private readonly simulation: Simulation<SimulatedReplica>,
    private readonly context: string,
  ) {}

  send(key: string, command: C, replica: number): void {
    const entry: (typeof this.entries)[number] = { key, command };
    this.entries.push(entry);
    const replied = this.simulation.send<CommandReply<Answer, string>>(this.context, key, command, replica);
    replied.then((reply) => (entry.reply = reply)).catch(() => undefined);
  }

  /** Repeats every accepted request: the replies must be the same, and nothing may be stored. */
  async repeatAll(): Promise<readonly string[]> {
    const before = await this.simulation.store.head();
    const accepted = this.entries.filter(({ reply }) => reply?.ok);
    const repeated = accepted.map(({ key, command }, index) => this.simulation.send(this.context, key, command, index));
    await this.simulation.scheduler.runUntilIdle();
    const replies = await Promise.all(repeated);
    const different = accepted.filter(({ reply }, index) => {
      return canonicalJson({ ...reply, repeated: true }) !== canonicalJson(replies[index]);
    });
    const stored = Number((await this.simulation.store.head()) - before);
    return [
      ...different.map(({ command }) => `a repeated request got a different reply: ${JSON.stringify(command)}`),
      ...(stored === 0 ? [] : [`repeated requests stored ${stored} events`]),
    ];
  }
}
