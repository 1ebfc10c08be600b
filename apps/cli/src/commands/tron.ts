import type { BlocksVerification } from '@florin/tron-domain';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { type Columns, table } from '../table';

type Difference = BlocksVerification['differences'][number];

const columns: Columns<Difference> = {
  KIND: ({ kind }) => kind,
  BLOCK: ({ blockNumber }) => String(blockNumber),
  TRANSACTION: ({ transactionId }) => transactionId ?? '',
  RECORDED: ({ recorded }) => recorded ?? '',
  'ON CHAIN': ({ onChain }) => onChain ?? '',
};

interface VerifyOptions {
  readonly from: number;
  readonly to: number;
}

export function addTronCommands(program: Command, context: CliContext): void {
  const tron = program.command('tron').description('Inspect the recorded TRON chain.');
  tron
    .command('verify')
    .description('Read blocks from the TRON node again and compare them with the recorded ones.')
    .requiredOption('--from <block>', 'the first block', readBlock)
    .requiredOption('--to <block>', 'the last block', readBlock)
    .addHelpText('after', '\nFlorin must run. Exits with 1 if there are differences or not all blocks were verified.')
    .action((options: VerifyOptions) => verify(context, options));
}

/** One request verifies a limited number of blocks, so this repeats it. A failure does not discard what was found before. */
async function verify(context: CliContext, { from, to }: VerifyOptions): Promise<void> {
  const api = context.operatorApi();
  const differences: Difference[] = [];
  let transfers = 0;
  let stopped: { readonly block: number; readonly reason: string } | undefined;
  let next = from;
  while (next <= to && stopped === undefined) {
    try {
      const verified = await api.post<BlocksVerification>('/tron/verifications', { fromBlock: next, toBlock: to });
      differences.push(...verified.differences);
      transfers += verified.transfers;
      next = verified.toBlock + 1;
      context.report(`Verified up to block ${verified.toBlock} of ${to}`);
    } catch (error) {
      if (!(error instanceof CommandFailed) || next === from) throw error;
      stopped = { block: next, reason: error.message };
    }
  }
  const verified: BlocksVerification = { fromBlock: from, toBlock: next - 1, transfers, differences };
  const stop = stopped === undefined ? '' : `\n\nStopped at block ${stopped.block}: ${stopped.reason}`;
  context.output({ ...verified, stopped }, `${textOf(verified)}${stop}`);
  if (differences.length > 0 || stopped !== undefined) context.exitCode = 1;
}

function textOf({ fromBlock, toBlock, transfers, differences }: BlocksVerification): string {
  if (differences.length === 0) {
    return `Blocks ${fromBlock} to ${toBlock} are recorded as they are on the chain, with ${transfers} transfers.`;
  }
  return `${table(differences, columns)}\n\n${differences.length} differences in blocks ${fromBlock} to ${toBlock}.`;
}

function readBlock(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('Use the number of a block.');
}
