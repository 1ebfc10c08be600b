import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import { type Refusal, refuse } from '@florin/kernel';
import {
  type BlocksVerification,
  compareBlocks,
  firstMissingBlock,
  type VerifyBlocks,
  type VerifyBlocksRefusal,
} from '@florin/tron-domain';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { ChainUnavailable } from './chain.port';
import { RecordedChain } from './recorded-chain';
import { TRON_OPTIONS, type TronOptions } from './tron-options';
import { TronWatcher } from './tron-watcher';

/** At most this many blocks are verified by one command. */
const maxBlocks = 100;
/** The requester waits ten seconds, so reading takes at most half of it. */
const maxSeconds = 5;

/** Compares recorded blocks with the node. The requester continues after the last verified block. */
@Controller()
export class VerifyBlocksController {
  constructor(
    private readonly watcher: TronWatcher,
    private readonly recorded: RecordedChain,
    @Inject(TRON_OPTIONS) private readonly options: Pick<TronOptions, 'blocksPerSecond'>,
  ) {}

  @MessagePattern(patternOf('tron', 'VerifyBlocks'))
  async verify(
    @Payload() { command }: CommandMessage<VerifyBlocks>,
  ): Promise<CommandReply<BlocksVerification, VerifyBlocksRefusal>> {
    const { from: fromBlock, to } = command.data;
    const { blocksPerSecond = 25 } = this.options;
    const count = Math.min(maxBlocks, Math.max(1, blocksPerSecond * maxSeconds));
    const toBlock = Math.min(to, fromBlock + count - 1);
    const ranges = await this.recorded.rangesOf(fromBlock, toBlock);
    const missing = firstMissingBlock(ranges, fromBlock, toBlock);
    if (missing !== undefined) return { ok: false, refusal: await this.notRecorded(missing) };
    try {
      const blocks = await this.watcher.readAgain(fromBlock, toBlock, AbortSignal.timeout(2 * maxSeconds * 1_000));
      const transfers = blocks.reduce((sum, block) => sum + block.transfers.length, 0);
      const answer = { fromBlock, toBlock, transfers, ...compareBlocks(blocks, ranges, this.watcher.addresses) };
      return { ok: true, repeated: false, answer };
    } catch (error) {
      const isSlow = error instanceof Error && error.name === 'TimeoutError';
      if (!(error instanceof ChainUnavailable) && !isSlow) throw error;
      return { ok: false, refusal: refuse('node_unavailable', error.message) };
    }
  }

  private async notRecorded(block: number): Promise<Refusal<VerifyBlocksRefusal>> {
    const bounds = await this.recorded.bounds();
    if (bounds === undefined) return refuse('blocks_not_recorded', 'No block is recorded yet: try again later');
    const { first, last } = bounds;
    const isOutside = block < first || block > last;
    const advice = isOutside ? 'verify blocks between these' : 'an event was removed from the log, run florin verify';
    return refuse('blocks_not_recorded', `Block ${block} is not recorded. Blocks ${first} to ${last} are: ${advice}`);
  }
}
