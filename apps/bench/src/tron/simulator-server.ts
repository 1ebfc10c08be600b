import { TronSimulator } from '@florin/tron-simulator';

/** A node in a process of its own, so that it takes no time from whoever reads it. */
async function main(): Promise<void> {
  const simulator = await TronSimulator.start({ blockTime: '2030-01-01T00:00:00.000Z' });
  console.log(simulator.url);
  process.on('SIGTERM', () => void simulator.stop().then(() => process.exit(0)));
}

void main();
