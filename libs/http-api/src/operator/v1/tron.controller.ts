import type { BlocksVerification, VerifyBlocks } from '@florin/tron-domain';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { OperatorEndpoint, type OperatorInput, type ResponseOf } from '../../endpoint';
import { ApiError, validationFailed } from '../../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';
import { explainedEnum } from '../../schemas';
import { tronAddress } from '../../v1/invoices/invoice-schemas';

const blockNumber = z.int().min(1).max(10_000_000_000);
const range = z
  .strictObject({
    fromBlock: blockNumber.meta({ description: 'The first block to verify', examples: [60_000_000] }),
    toBlock: blockNumber.meta({ description: 'The last block to verify', examples: [60_000_099] }),
  })
  .meta({ id: 'BlockRange', description: 'The blocks to verify' });
const difference = z
  .strictObject({
    kind: explainedEnum<'missing' | 'extra' | 'changed' | 'duplicate' | 'other_block'>(
      'BlockDifferenceKind',
      'What differs',
      {
        missing: 'A transfer of the chain was not recorded',
        extra: 'A recorded transfer is not on the chain',
        changed: 'A transfer is recorded differently',
        duplicate: 'Blocks or a transfer are recorded more than once',
        other_block: 'The recorded block is not the one on the chain',
      },
    ),
    blockNumber: blockNumber.meta({ description: 'The number of the block', examples: [60_000_042] }),
    transactionId: z.string().optional().meta({ description: 'The id of the TRON transaction' }),
    logIndex: z.int().optional().meta({ description: 'The index of the transfer within its transaction' }),
    recorded: z.string().optional().meta({ description: 'What Florin has recorded' }),
    onChain: z.string().optional().meta({ description: 'What the node returns' }),
  })
  .meta({ id: 'BlockDifference', description: 'A difference between the records and the chain' });
const unverifiedAddress = z
  .strictObject({
    address: tronAddress,
    reason: explainedEnum<'not_watched_now' | 'not_watched_then' | 'unknown_then'>(
      'UnverifiedReason',
      'Why the address was not verified',
      {
        not_watched_now: '`TRON_ADDRESSES` does not contain the address',
        not_watched_then: '`TRON_ADDRESSES` did not contain the address when the blocks were recorded',
        unknown_then: 'An earlier release recorded the blocks, without the addresses that it watched',
      },
    ),
    transfers: z.int().meta({ description: 'Transfers that were not compared', examples: [1] }),
  })
  .meta({ id: 'UnverifiedAddress', description: 'An address that was not verified' });
const verification = z
  .strictObject({
    fromBlock: blockNumber.meta({ description: 'The first verified block', examples: [60_000_000] }),
    toBlock: blockNumber.meta({ description: 'The last verified block; continue after it if you requested more' }),
    transfers: z.int().meta({ description: 'Transfers to the watched addresses in these blocks', examples: [3] }),
    differences: z.array(difference).meta({ description: 'Empty if the records match the chain' }),
    unverified: z.array(unverifiedAddress).meta({ description: 'Addresses that were not watched both then and now' }),
  })
  .meta({ id: 'BlocksVerification', description: 'The result of a verification' });

@Controller()
export class TronController {
  constructor(
    private readonly commands: Commands,
    @Inject(HTTP_API_OPTIONS) private readonly options: HttpApiOptions,
  ) {}

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/tron/verifications',
    operationId: 'tron.verifyBlocks',
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
