import { CLOCK, CommandHandler, EVENT_STORE, type EventStore, type ReplyOf } from '@florin/event-sourcing';
import { assert, type Clock, randomId } from '@florin/kernel';
import {
  chainAggregate,
  type ChainCommand,
  chainDecider,
  segmentOf,
  type RecordedBlock,
  startStreamId,
  type BlockRange,
} from '@florin/tron-domain';
import { Inject, Injectable } from '@nestjs/common';
import { TRON_OPTIONS, type TronOptions } from './tron-options';

/** Up to where the chain is recorded. Before the first record nothing but the number is known. */
export type Cursor = RecordedBlock | { readonly number: number; readonly id?: undefined; readonly time?: undefined };

/** Something that no retry puts right, and that a person has to look into. */
export class ChainStopped extends Error {
  override readonly name = 'ChainStopped';
}

/** What the log says about the chain. It is the only memory: a process that starts anew goes on from here. */
@Injectable()
export class RecordedChain {
  private readonly streams: CommandHandler<typeof chainAggregate>;
  private startBlock: number | undefined;
  private lastSegment: number | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(TRON_OPTIONS) { backoff }: Pick<TronOptions, 'backoff'>,
  ) {
    this.streams = new CommandHandler(chainAggregate, { store, clock, cachedStreams: 4, backoff });
  }

  /** Begins the chain unless somebody has, and tells where it was begun. */
  async start(startBlock: number, contract: string): Promise<number> {
    const reply = await this.send(startStreamId, { type: 'StartChain', data: { startBlock, contract } });
    if (!reply.ok) throw new ChainStopped(reply.refusal.message);
    const { started } = reply.answer;
    assert(started !== undefined, 'a chain that was begun knows where');
    this.startBlock = started.startBlock;
    return started.startBlock;
  }

  async cursor(): Promise<Cursor> {
    this.lastSegment = await this.findLastSegment(this.lastSegment ?? segmentOf(this.begun));
    const last = await this.streams.read(`${this.lastSegment}`, 0, (state) => state.last);
    return last ?? { number: this.begun - 1 };
  }

  /** False when others were faster, so that the cursor has to be looked up again. */
  async record(blockRange: BlockRange): Promise<boolean> {
    const data = { ...blockRange, startBlock: this.begun };
    const reply = await this.send(`${segmentOf(blockRange.fromBlock)}`, { type: 'RecordBlocks', data });
    if (!reply.ok && reply.refusal.refused !== 'not_next') throw new ChainStopped(reply.refusal.message);
    return reply.ok;
  }

  private get begun(): number {
    assert(this.startBlock !== undefined, 'the chain is started before it is read or recorded');
    return this.startBlock;
  }

  private send(streamId: string, command: ChainCommand): Promise<ReplyOf<typeof chainAggregate>> {
    const id = randomId();
    return this.streams.handle(streamId, command, { id, headers: { correlationId: id, causationId: id } });
  }

  /** Segments follow one another without a gap, so that a few looks find the last one among hundreds. */
  private async findLastSegment(first: number): Promise<number> {
    let known = first;
    let step = 1;
    while (await this.hasEvents(known + step)) {
      known += step;
      step *= 2;
    }
    for (step /= 2; step >= 1; step /= 2) if (await this.hasEvents(known + step)) known += step;
    return known;
  }

  private async hasEvents(segment: number): Promise<boolean> {
    for await (const page of this.store.readStream(`${chainDecider.category}-${segment}`)) return page.length > 0;
    return false;
  }
}
