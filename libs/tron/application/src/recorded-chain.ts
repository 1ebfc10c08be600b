import { CLOCK, CommandHandler, EVENT_STORE, eventCodec, type EventStore, type ReplyOf } from '@florin/event-sourcing';
import { assert, type Clock, randomId } from '@florin/kernel';
import {
  chainAggregate,
  type ChainCommand,
  type ChainEvent,
  chainEventVersions,
  segmentOf,
  type RecordedBlock,
  type RecordedRange,
  startStreamId,
  type BlockRange,
} from '@florin/tron-domain';
import { Inject, Injectable } from '@nestjs/common';
import { TRON_OPTIONS, type TronOptions } from './tron-options';

const codec = eventCodec<ChainEvent>(chainEventVersions);

/** The last recorded block. Before the first record only the number is known. */
export type Cursor = RecordedBlock | { readonly number: number; readonly id?: undefined; readonly time?: undefined };

/** An error that no retry resolves: an operator has to act. */
export class ChainStopped extends Error {
  override readonly name = 'ChainStopped';
}

/** The recorded chain in the event log. It is the only state: a restarted process resumes from it. */
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

  /** Records the start block unless one is recorded, and returns the recorded one. */
  async start(startBlock: number, contract: string): Promise<number> {
    const reply = await this.send(startStreamId, { type: 'StartChain', data: { startBlock, contract } });
    if (!reply.ok) throw new ChainStopped(reply.refusal.message);
    const { started } = reply.answer;
    assert(started !== undefined, 'a started chain has a start block');
    this.startBlock = started.startBlock;
    return started.startBlock;
  }

  async cursor(): Promise<Cursor> {
    this.lastSegment = await this.findLastSegment(this.lastSegment ?? segmentOf(this.started));
    const last = await this.streams.read(`${this.lastSegment}`, 0, (state) => state.last);
    return last ?? { number: this.started - 1 };
  }

  /** False when another replica recorded these blocks first: the caller must read the cursor again. */
  async record(blockRange: BlockRange, addresses: readonly string[]): Promise<boolean> {
    const data = { ...blockRange, startBlock: this.started, addresses };
    const reply = await this.send(`${segmentOf(blockRange.fromBlock)}`, { type: 'RecordBlocks', data });
    if (!reply.ok && reply.refusal.refused !== 'not_next') throw new ChainStopped(reply.refusal.message);
    return reply.ok;
  }

  /** The first and the last recorded block; undefined if the chain is not started. */
  async bounds(): Promise<{ readonly first: number; readonly last: number } | undefined> {
    const started = await this.streams.read(startStreamId, 0, (state) => state.started);
    if (started === undefined) return undefined;
    this.startBlock ??= started.startBlock;
    const { number } = await this.cursor();
    return { first: this.startBlock, last: number };
  }

  /**
   * The recorded ranges that contain any of these blocks, and those that do not belong into the streams of these blocks: the
   * verification of other blocks would not find them.
   */
  async rangesOf(fromBlock: number, toBlock: number): Promise<readonly RecordedRange[]> {
    const ranges: RecordedRange[] = [];
    for (let segment = segmentOf(fromBlock); segment <= segmentOf(toBlock); segment++) {
      let addresses: readonly string[] | undefined;
      for await (const page of this.store.readStream(`${chainAggregate.category}-${segment}`)) {
        for (const recorded of page) {
          const { type, data } = codec.decode(recorded).event;
          if (type === 'AddressesWatched') addresses = data.addresses;
          if (type !== 'BlocksRead') continue;
          const isRequested = data.fromBlock <= toBlock && data.toBlock >= fromBlock;
          const isMisplaced = segmentOf(data.fromBlock) !== segment || segmentOf(data.toBlock) !== segment;
          if (isRequested || isMisplaced) ranges.push({ ...data, addresses });
        }
      }
    }
    return ranges;
  }

  private get started(): number {
    assert(this.startBlock !== undefined, 'the chain is started before it is read or recorded');
    return this.startBlock;
  }

  private send(streamId: string, command: ChainCommand): Promise<ReplyOf<typeof chainAggregate>> {
    const id = randomId();
    const actor = { kind: 'chain', id: 'tron' } as const;
    return this.streams.handle(streamId, command, { id, headers: { correlationId: id, causationId: id, actor } });
  }

  /** Segments are contiguous, so that a binary search finds the last one with few reads. */
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
    for await (const page of this.store.readStream(`${chainAggregate.category}-${segment}`)) return page.length > 0;
    return false;
  }
}
