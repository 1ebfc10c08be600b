import { CommandHandler } from '@florin/event-sourcing';
import {
  type ChoiceFunction,
  inOrder,
  silentLog,
  type SimulatedEnvironment,
  Simulation,
} from '@florin/event-sourcing/testing';
import { type Aggregate, type Command, randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import type { BlocksRead, TokenTransfer } from '@florin/tron-domain';
import type { InvoicingOptions } from '../../invoicing-options';
import { expiredIn, InvoicingLog, stalledIn } from './invoicing-log';
import { Replica } from './replica';

export const lifetimeMs = 60 * 60 * 1_000;
export const treasury = ['TReasury1', 'TReasury2'] as const;

/** Stores blocks as the watcher would, which is not part of the simulation. */
const chain: Aggregate<null, Command<'RecordBlocks', BlocksRead['data']>, BlocksRead, never, null> = {
  category: 'chain',
  versions: { BlocksRead: [] },
  initialState: () => null,
  decide: ({ data }) => [{ type: 'BlocksRead', data }],
  evolve: () => null,
  answer: () => null,
};

export class InvoicingSimulation extends Simulation<Replica> {
  readonly clock = manualClock('2030-01-15T12:00:00.000Z');
  readonly transfers: TokenTransfer[] = [];
  readonly options: InvoicingOptions = { addresses: treasury, lifetimeMs, minimumAmount: '10.00', log: silentLog };
  private block = 0;
  private readonly blocks = new CommandHandler(chain, { store: this.store, clock: this.clock });

  constructor(replicas = 1, choose: ChoiceFunction = inOrder) {
    super(choose);
    for (let place = 0; place < replicas; place++) this.start(place);
  }

  /** Adds a block with the current time to the chain, as if the watcher had read it. */
  async mine(...paid: readonly { readonly to: string; readonly amount: string }[]): Promise<void> {
    this.block += 1;
    const blockTime = this.clock.now().toISOString();
    const transfers = paid.map(({ to, amount }, logIndex) => {
      const transactionId = this.block.toString(16).padStart(64, '0');
      return { transactionId, logIndex, from: 'TSender', to, amount, blockNumber: this.block, blockTime };
    });
    this.transfers.push(...transfers);
    const ids = { parentId: `b${this.block - 1}`, toBlockId: `b${this.block}` };
    const data = { fromBlock: this.block, toBlock: this.block, toBlockTime: blockTime, ...ids, transfers };
    const context = {
      id: randomId(),
      headers: { correlationId: 'chain', causationId: 'chain', actor: serviceActor('test') },
    };
    await this.blocks.handle('0', { type: 'RecordBlocks', data }, context);
  }

  /** Advances the clock, adds a block, runs the invoice clock, and runs until idle. */
  async pass(milliseconds: number): Promise<void> {
    this.clock.advance(milliseconds);
    await this.mine();
    await this.scheduler.runUntilIdle();
    void this.replica(0).invoiceClock.tick();
    await this.scheduler.runUntilIdle();
  }

  override async settle(): Promise<void> {
    await this.scheduler.runUntilIdle();
    for (let rounds = 0; rounds < 3; rounds++) await this.pass(lifetimeMs);
  }

  async log(): Promise<InvoicingLog> {
    return new InvoicingLog(await this.recorded());
  }

  protected override newReplica(environment: SimulatedEnvironment): Replica {
    return new Replica({
      ...environment,
      clock: this.clock,
      due: {
        expiredBefore: async (now) => expiredIn(await this.log(), now),
        unchangedSince: async (before) => stalledIn(await this.log(), before),
      },
      options: this.options,
    });
  }
}
