import { TronSimulator } from '@florin/tron-simulator';

/** A simulated node in a separate process, so that it does not slow down its readers. */
async function main(): Promise<void> {
  const simulator = await TronSimulator.start({ blockTime: '2030-01-01T00:00:00.000Z' });
  console.log(simulator.url);
  process.on('SIGTERM', () => void simulator.stop().then(() => process.exit(0)));
}

void main();
