import type { BlocksVerification, VerifyBlocks } from '@florin/tron-domain';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { OperatorEndpoint, type OperatorInput, type ResponseOf } from '../../endpoint';
import { ApiError, validationFailed } from '../../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';

const blockNumber = z.int().min(1).max(10_000_000_000);
const range = z.strictObject({
  fromBlock: blockNumber.meta({ description: 'The first block to verify', examples: [60_000_000] }),
  toBlock: blockNumber.meta({ description: 'The last block to verify', examples: [60_000_099] }),
});
const difference = z.strictObject({
  kind: z.enum(['missing', 'extra', 'changed', 'duplicate', 'other_block']).meta({
    description:
      '`missing`: a transfer of the chain was not recorded. `extra`: a recorded transfer is not on the chain. `changed`: it is recorded differently. `duplicate`: blocks or a transfer are recorded more than once. `other_block`: the recorded block is not the one on the chain',
  }),
  blockNumber: blockNumber.meta({ examples: [60_000_042] }),
  transactionId: z.string().optional(),
  logIndex: z.int().optional(),
  recorded: z.string().optional().meta({ description: 'What Florin has recorded' }),
  onChain: z.string().optional().meta({ description: 'What the node returns' }),
});
const unverifiedAddress = z.strictObject({
  address: z.string(),
  reason: z.enum(['not_watched_now', 'not_watched_then', 'unknown_then']).meta({
    description:
      '`not_watched_now`: `TRON_ADDRESSES` does not contain the address. `not_watched_then`: it did not when the blocks were recorded. `unknown_then`: an earlier release recorded the blocks, without the addresses that it watched',
  }),
  transfers: z.int().meta({ description: 'Transfers that were not compared', examples: [1] }),
});
const verification = z
  .strictObject({
    fromBlock: blockNumber,
    toBlock: blockNumber.meta({ description: 'The last verified block; continue after it if you requested more' }),
    transfers: z.int().meta({ description: 'Transfers to the watched addresses in these blocks', examples: [3] }),
    differences: z.array(difference),
    unverified: z.array(unverifiedAddress).meta({ description: 'Addresses that were not watched both then and now' }),
  })
  .meta({ id: 'BlocksVerification' });

@Controller()
export class TronController {
  constructor(
    private readonly commands: Commands,
    @Inject(HTTP_API_OPTIONS) private readonly options: HttpApiOptions,
  ) {}

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/tron/verifications',
    tag: 'Deposits',
    role: 'finance',
    summary: 'Verify recorded blocks',
    description:
      'Reads blocks from the TRON node again and compares their transfers with the recorded ones. It verifies at most 100 blocks per request and changes nothing.',
    body: range,
    response: { status: 200, description: 'The verified blocks and all differences.', schema: verification },
    errors: ['capability_inactive'],
  })
  async verify({ body, ...origin }: OperatorInput<typeof range>): Promise<ResponseOf<typeof verification>> {
    if (!this.options.liveChain) {
      throw new ApiError('capability_inactive', 'No TRON node is connected: set TRON_NODE_URL and restart Florin.');
    }
    if (body.toBlock < body.fromBlock) throw validationFailed('toBlock must not be before fromBlock.');
    const command: VerifyBlocks = { type: 'VerifyBlocks', data: { from: body.fromBlock, to: body.toBlock } };
    const refusals = { blocks_not_recorded: 'validation_failed', node_unavailable: 'unavailable' } as const;
    const message = { context: 'tron', key: 'verification', command, refusals };
    const { answer } = await this.commands.execute<BlocksVerification>(origin, message);
    return answer;
  }
}
