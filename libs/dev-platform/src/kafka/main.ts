import { once } from 'node:events';
import { readCommandLine, usage } from './command-line';
import { KafkaBroker } from './kafka-broker';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const commandLine = readCommandLine(process.argv.slice(2));
  if (!commandLine) return void print(usage);
  // Registered before the start, so that an interrupted start leaves no broker behind.
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const broker = await KafkaBroker.start({ ...commandLine, log: print, onExit: fail });
  print(`A Kafka broker is ready. Clients find it with KAFKA_BROKERS=${broker.address}. Ctrl-C ends it.`);
  await interrupted;
  await broker.stop();
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
