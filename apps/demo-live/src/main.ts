import { startTemporaryProduct } from '@florin/dev-platform';
import { simulatedAddress, simulatedContract, TronSimulator } from '@florin/tron-simulator';
import { Command } from 'commander';
import { Api } from './api';
import { runInvoiceScenario } from './invoice-scenario';

const blockIntervalMs = 1_000;

async function run(): Promise<void> {
  const print = (line: string): void => console.log(line);
  print('Starting a simulated TRON node, and Florin connected to it …');
  const chain = await TronSimulator.start({ solidifyAfter: 2 });
  const product = await startTemporaryProduct({
    PATH: process.env['PATH'],
    TRON_NODE_URL: chain.url,
    TRON_USDT_CONTRACT: simulatedContract,
    TRON_ADDRESSES: simulatedAddress('treasury'),
    TRON_START_BLOCK: String(chain.state().firstBlock),
  });
  const mining = setInterval(() => chain.mine(), blockIntervalMs);
  try {
    const company = new Api(product.baseUrl, product.companies[0]!.keys.live);
    const operator = new Api(product.baseUrl, product.operatorToken);
    await runInvoiceScenario({ company, operator, chain, print });
    print('\nDone. Cleaning up …');
  } finally {
    clearInterval(mining);
    await product.stop();
    await chain.stop();
  }
}

new Command('npm run demo:live')
  .description('Creates a live invoice, pays it on a simulated TRON chain and shows the credit.')
  .helpOption('--help', 'show this help')
  .addHelpText('after', '\nRuns on this machine in a temporary folder. Your own data is not touched.')
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
