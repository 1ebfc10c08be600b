import { CommandHandler, type CommandReply } from '@florin/event-sourcing';
import { inOrder, type Pick, silentLog, type TurnBasedOutside, TurnBasedWorld } from '@florin/event-sourcing/testing';
import { type Command, type Decider, defineAggregate, manualClock, randomId } from '@florin/kernel';
import type { BlocksRead, TokenTransfer } from '@florin/tron-domain';
import type { InvoicingOptions } from '../../invoicing-options';
import { expiredIn, FlowLog, unmovedIn } from './flow-log';
import { Replica } from './replica';

export const lifetimeMs = 60 * 60 * 1_000;
export const treasury = ['TReasury1', 'TReasury2'] as const;

/** Writes down what it is told: these flows begin where the watcher ends. */
const recorder: Decider<null, Command<'RecordBlocks', BlocksRead['data']>, BlocksRead> = {
  category: 'chain',
  initialState: () => null,
  decide: ({ data }) => [{ type: 'BlocksRead', data }],
  evolve: () => null,
};
const chain = defineAggregate({ decider: recorder, versions: { BlocksRead: [] }, answer: () => null });

export class FlowWorld extends TurnBasedWorld<Replica> {
  readonly clock = manualClock('2030-01-15T12:00:00.000Z');
  readonly transfers: TokenTransfer[] = [];
  readonly options: InvoicingOptions = { addresses: treasury, lifetimeMs, minimumAmount: '10.00', log: silentLog };
  private block = 0;
  private readonly blocks = new CommandHandler(chain, { store: this.store, clock: this.clock });

  constructor(replicas = 1, pick: Pick = inOrder) {
    super(pick);
    for (let place = 0; place < replicas; place++) this.start(place);
  }

  /** Puts a command on its way. When the process dies, nobody ever answers. */
  send<Reply = CommandReply<unknown>>(key: string, command: Command<string, unknown>, to = 0): Promise<Reply> {
    const id = randomId();
    const headers = { correlationId: id, causationId: id };
    return this.replica(to).bus.request<Reply>({ context: 'invoicing', key, id, command, headers });
  }

  /** The chain grows by one block of this very moment, and the watcher has read it. */
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
    const context = { id: randomId(), headers: { correlationId: 'chain', causationId: 'chain' } };
    await this.blocks.handle('0', { type: 'RecordBlocks', data }, context);
  }

  /** Lets so much time pass on all clocks, and everybody come to rest. */
  async pass(milliseconds: number): Promise<void> {
    this.clock.advance(milliseconds);
    await this.mine();
    await this.turns.grantAll();
    void this.replica(0).invoiceClock.tick();
    await this.turns.grantAll();
  }

  /** Until everything that can expire has. */
  async comeToRest(): Promise<void> {
    await this.turns.grantAll();
    for (let looks = 0; looks < 3; looks++) await this.pass(lifetimeMs);
  }

  async log(): Promise<FlowLog> {
    return new FlowLog(await this.recorded());
  }

  stopped(): readonly string[] {
    return this.processes.flatMap(({ replica }) => replica.stopped());
  }

  protected newReplica(outside: TurnBasedOutside): Replica {
    return new Replica({
      ...outside,
      clock: this.clock,
      due: {
        expiredBefore: async (now) => expiredIn(await this.log(), now),
        notMovedSince: async (before) => unmovedIn(await this.log(), before),
      },
      options: this.options,
    });
  }
}
