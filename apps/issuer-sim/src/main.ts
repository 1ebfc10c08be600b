import { IssuerSimulator } from '@florin/issuer-simulator';
import { createCommand, type IssuerSimOptions } from './command-line';

async function run({ florin, ...options }: IssuerSimOptions): Promise<void> {
  const simulator = await IssuerSimulator.start({ ...options, florinUrl: florin.replace(/\/+$/, '') });
  const stop = (): void => void simulator.close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  console.log(introduction(simulator, options.secret));
}

/** Each variable has its own line, for copying or for programs. */
function introduction(simulator: IssuerSimulator, secret: string): string {
  const example = JSON.stringify({ card: '<card id>', amount: '12.50' });
  return `A simulated issuer is ready. Start Florin with:

ISSUER_URL=${simulator.url}
ISSUER_SECRET=${secret}

To pay with a live card:

curl -X POST ${simulator.baseUrl}/sim/authorize -d '${example}'

Run with --help for more. Press Ctrl+C to stop.`;
}

createCommand()
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
