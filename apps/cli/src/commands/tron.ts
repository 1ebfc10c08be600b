import type { BlocksVerification } from '@florin/tron-domain';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context';
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
    .addHelpText('after', '\nFlorin must run. Exits with 1 if there are differences.')
    .action((options: VerifyOptions) => verify(context, options));
}

/** One request verifies a limited number of blocks, so this repeats it. */
async function verify(context: CliContext, { from, to }: VerifyOptions): Promise<void> {
  const api = context.operatorApi();
  const differences: Difference[] = [];
  let transfers = 0;
  for (let next = from; next <= to;) {
    const verified = await api.post<BlocksVerification>('/tron/verifications', { fromBlock: next, toBlock: to });
    differences.push(...verified.differences);
    transfers += verified.transfers;
    next = verified.toBlock + 1;
    context.report(`Verified up to block ${verified.toBlock} of ${to}`);
  }
  const text =
    differences.length === 0
      ? `Blocks ${from} to ${to} are recorded as they are on the chain, with ${transfers} transfers.`
      : `${table(differences, columns)}\n\n${differences.length} differences in blocks ${from} to ${to}.`;
  context.output({ fromBlock: from, toBlock: to, transfers, differences }, text);
  if (differences.length > 0) context.exitCode = 1;
}

function readBlock(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('Use the number of a block.');
}
