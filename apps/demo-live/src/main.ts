import { simulatedAddress, simulatedContract, TronSimulator } from '@florin/tron-simulator';
import { Api } from './api';
import { startProduct } from './product';
import { tellStory } from './story';

const usage = `Shows a live invoice being created, paid on a simulated TRON chain, and credited.

  npm run demo:live

Everything happens on this machine, in a folder that is removed afterwards; nothing that you have is touched.`;

const mineEveryMs = 1_000;

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(usage);
  const tell = (line: string): void => console.log(line);
  tell('Starting a simulated TRON node, and Florin connected to it …');
  const chain = await TronSimulator.start({ solidifyAfter: 2 });
  const product = await startProduct({
    TRON_NODE_URL: chain.url,
    TRON_USDT_CONTRACT: simulatedContract,
    TRON_ADDRESSES: simulatedAddress('treasury'),
    TRON_START_BLOCK: String(chain.state().firstBlock),
  });
  const mining = setInterval(() => chain.mine(), mineEveryMs);
  try {
    const company = new Api(product.baseUrl, product.liveKey);
    const operator = new Api(product.baseUrl, product.operatorToken);
    await tellStory({ company, operator, chain, tell });
    tell('\nThat is all. Cleaning up …');
  } finally {
    clearInterval(mining);
    await product.stop();
    await chain.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
