import { once } from 'node:events';
import { createCommand, type KafkaOptions } from './command-line';
import { KafkaBroker } from './kafka-broker';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { port, data: dataDirectory } = createCommand().parse().opts<KafkaOptions>();
  // Registered before the start, so that an interrupted start leaves no broker behind.
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const broker = await KafkaBroker.start({ port, dataDirectory, log: print, onExit: fail });
  print(`A Kafka broker is ready. Clients connect with KAFKA_BROKERS=${broker.address}. Ctrl-C stops it.`);
  await interrupted;
  await broker.stop();
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
