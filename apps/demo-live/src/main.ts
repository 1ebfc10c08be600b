import { startTemporaryProduct } from '@florin/dev-platform';
import { IssuerSimulator } from '@florin/issuer-simulator';
import { simulatedAddress, simulatedContract, TronSimulator } from '@florin/tron-simulator';
import { Command } from 'commander';
import { Api } from './api';
import { runCardScenario } from './card-scenario';
import { runInvoiceScenario } from './invoice-scenario';

const blockIntervalMs = 1_000;
const issuerSecret = 'secret-of-the-simulated-issuer';

async function run(): Promise<void> {
  const print = (line: string): void => console.log(line);
  print('Starting a simulated TRON node, a simulated card issuer, and Florin connected to both …');
  const chain = await TronSimulator.start({ solidifyAfter: 2 });
  const issuer = await IssuerSimulator.start({ secret: issuerSecret });
  const product = await startTemporaryProduct({
    PATH: process.env['PATH'],
    TRON_NODE_URL: chain.url,
    TRON_USDT_CONTRACT: simulatedContract,
    TRON_ADDRESSES: simulatedAddress('treasury'),
    TRON_START_BLOCK: String(chain.state().firstBlock),
    ISSUER_URL: issuer.url,
    ISSUER_SECRET: issuerSecret,
  });
  issuer.callbacks.sendTo(product.baseUrl);
  const mining = setInterval(() => chain.mine(), blockIntervalMs);
  try {
    const company = new Api(product.baseUrl, product.companies[0]!.keys.live);
    const operator = new Api(product.baseUrl, product.operatorToken);
    await runInvoiceScenario({ company, operator, chain, print });
    await runCardScenario({ company, operator, issuer, print });
    print('\nDone. Cleaning up …');
  } finally {
    clearInterval(mining);
    await product.stop();
    await chain.stop();
    await issuer.close();
  }
}

new Command('npm run demo:live')
  .description(
    'Pays a live invoice on a simulated TRON chain, and issues, uses and unloads a card of a simulated issuer.',
  )
  .helpOption('--help', 'show this help')
  .addHelpText('after', '\nRuns on this machine in a temporary folder. Your own data is not touched.')
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
