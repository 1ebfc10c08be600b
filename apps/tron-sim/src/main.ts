import { simulatedAddress, simulatedContract, TronSimulator } from '@florin/tron-simulator';
import { createCommand, type TronSimOptions } from './command-line';

async function run(options: TronSimOptions): Promise<void> {
  const simulator = await TronSimulator.start(options);
  const { autoMine } = options;
  const timer = autoMine > 0 ? setInterval(() => simulator.mine(), autoMine * 1000) : undefined;
  const stop = (): void => {
    clearInterval(timer);
    void simulator.stop();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  console.log(introduction(simulator, options));
}

/** Each variable has its own line, for copying or for programs. */
function introduction(simulator: TronSimulator, { addresses, firstBlock }: TronSimOptions): string {
  const treasury = Array.from({ length: addresses }, (_, index) => simulatedAddress(`treasury ${index + 1}`));
  const example = JSON.stringify({ to: treasury[0], amount: '100.003127' });
  return `A simulated TRON node is ready. Start Florin with:

TRON_NODE_URL=${simulator.url}
TRON_USDT_CONTRACT=${simulatedContract}
TRON_ADDRESSES=${treasury.join(',')}
TRON_START_BLOCK=${firstBlock}

To pay an invoice:

curl -X POST ${simulator.url}/sim/pay -d '${example}'

Run with --help for more. Press Ctrl+C to stop.`;
}

createCommand()
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
