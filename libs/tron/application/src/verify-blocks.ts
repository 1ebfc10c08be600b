import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import { refuse } from '@florin/kernel';
import {
  type BlocksVerification,
  compareBlocks,
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
    const { fromBlock } = command.data;
    const { blocksPerSecond = 25 } = this.options;
    const count = Math.min(maxBlocks, Math.max(1, blocksPerSecond * maxSeconds));
    const toBlock = Math.min(command.data.toBlock, fromBlock + count - 1);
    const ranges = await this.recorded.rangesOf(fromBlock, toBlock);
    if (!coversAll(ranges, fromBlock, toBlock)) {
      const refusal = refuse('blocks_not_recorded', `Blocks ${fromBlock} to ${toBlock} are not all recorded`);
      return { ok: false, refusal };
    }
    try {
      const blocks = await this.watcher.readAgain(fromBlock, toBlock, AbortSignal.timeout(2 * maxSeconds * 1_000));
      const transfers = blocks.reduce((sum, block) => sum + block.transfers.length, 0);
      const answer = { fromBlock, toBlock, transfers, differences: compareBlocks(blocks, ranges) };
      return { ok: true, repeated: false, answer };
    } catch (error) {
      const isSlow = error instanceof Error && error.name === 'TimeoutError';
      if (!(error instanceof ChainUnavailable) && !isSlow) throw error;
      return { ok: false, refusal: refuse('node_unavailable', error.message) };
    }
  }
}

function coversAll(
  ranges: readonly { readonly fromBlock: number; readonly toBlock: number }[],
  fromBlock: number,
  toBlock: number,
): boolean {
  const covered = ranges.reduce((sum, range) => {
    return sum + Math.min(range.toBlock, toBlock) - Math.max(range.fromBlock, fromBlock) + 1;
  }, 0);
  return covered === toBlock - fromBlock + 1;
}
