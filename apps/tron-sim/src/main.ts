import { simulatedAddress, simulatedContract, TronSimulator } from '@florin/tron-simulator';
import { type CommandLine, readCommandLine, usage } from './command-line';

async function main(): Promise<void> {
  const commandLine = readCommandLine(process.argv.slice(2));
  if (!commandLine) return console.log(usage);
  const simulator = await TronSimulator.start(commandLine);
  const { autoMineSeconds } = commandLine;
  const timer = autoMineSeconds > 0 ? setInterval(() => simulator.mine(), autoMineSeconds * 1000) : undefined;
  const stop = (): void => {
    clearInterval(timer);
    void simulator.stop();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  console.log(introduction(simulator, commandLine));
}

/** The variables stand on lines of their own, so that they can be copied, or read by a program. */
function introduction(simulator: TronSimulator, { addresses, firstBlock }: CommandLine): string {
  const treasury = Array.from({ length: addresses }, (_, index) => simulatedAddress(`treasury ${index + 1}`));
  const example = JSON.stringify({ to: treasury[0], amount: '100.003127' });
  return `A simulated TRON node is ready. Start Florin with:

TRON_NODE_URL=${simulator.url}
TRON_USDT_CONTRACT=${simulatedContract}
TRON_ADDRESSES=${treasury.join(',')}
TRON_START_BLOCK=${firstBlock}

To pay an invoice:

curl -X POST ${simulator.url}/sim/pay -d '${example}'

--help shows what else it can do. Ctrl-C ends it.`;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
