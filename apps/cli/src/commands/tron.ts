import type { BlocksVerification } from '@florin/tron-domain';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { type Columns, table } from '../table';

type Difference = BlocksVerification['differences'][number];
type Unverified = BlocksVerification['unverified'][number];

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
  const found = new Map<string, Difference>();
  const unverified = new Map<string, Unverified>();
  let transfers = 0;
  let stopped: { readonly block: number; readonly reason: string } | undefined;
  let next = from;
  while (next <= to && stopped === undefined) {
    try {
      const verified = await api.post<BlocksVerification>('/tron/verifications', { fromBlock: next, toBlock: to });
      // A forged range may be named for several requests.
      for (const difference of verified.differences) found.set(JSON.stringify(difference), difference);
      for (const address of verified.unverified) addTo(unverified, address);
      transfers += verified.transfers;
      next = verified.toBlock + 1;
      context.report(`Verified up to block ${verified.toBlock} of ${to}`);
    } catch (error) {
      if (!(error instanceof CommandFailed) || next === from) throw error;
      stopped = { block: next, reason: error.message };
    }
  }
  const differences = [...found.values()];
  const verified: BlocksVerification = {
    fromBlock: from,
    toBlock: next - 1,
    transfers,
    differences,
    unverified: [...unverified.values()],
  };
  const stop = stopped === undefined ? '' : `\n\nStopped at block ${stopped.block}: ${stopped.reason}`;
  context.output({ ...verified, stopped }, `${textOf(verified)}${stop}`);
  if (differences.length > 0 || stopped !== undefined) context.exitCode = 1;
}

/** The same address may be named for several requests. */
function addTo(unverified: Map<string, Unverified>, found: Unverified): void {
  const key = `${found.address} ${found.reason}`;
  const transfers = (unverified.get(key)?.transfers ?? 0) + found.transfers;
  unverified.set(key, { ...found, transfers });
}

function textOf(verified: BlocksVerification): string {
  return [resultOf(verified), ...verified.unverified.map(unverifiedText)].join('\n');
}

function unverifiedText({ address, reason, transfers }: Unverified): string {
  switch (reason) {
    case 'not_watched_now':
      return `Not verified: TRON_ADDRESSES does not contain ${address} (${transfers} recorded transfers). Add it to verify them.`;
    case 'not_watched_then':
      return `Not verified: TRON_ADDRESSES did not contain ${address} when the blocks were recorded (${transfers} transfers on the chain).`;
    case 'unknown_then':
      return (
        `Not verified: an earlier release recorded the blocks, without the addresses that it watched. If TRON_ADDRESSES contained ` +
        `${address} then, ${transfers} transfers on the chain are missing.`
      );
  }
}

function resultOf({ fromBlock, toBlock, transfers, differences }: BlocksVerification): string {
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
