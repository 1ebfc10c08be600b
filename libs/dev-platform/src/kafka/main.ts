import { busServices } from '@florin/bus-trust';
import { once } from 'node:events';
import { createCommand, type KafkaOptions } from './command-line';
import { KafkaBroker } from './kafka-broker';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const options = createCommand().parse().opts<KafkaOptions>();
  const { port, data: dataDirectory, insecure = false, topicPrefix } = options;
  // Registered before the start, so that an interrupted start leaves no broker behind.
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const services = insecure ? undefined : busServices;
  const broker = await KafkaBroker.start({ port, dataDirectory, services, topicPrefix, log: print, onExit: fail });
  print(`A Kafka broker is ready. Clients connect with KAFKA_BROKERS=${broker.address}. Ctrl-C stops it.`);
  if (broker.security !== undefined) {
    const { caFile, secretsFile } = broker.security;
    print(`They also need KAFKA_SSL=true, KAFKA_CA_FILE=${caFile}, KAFKA_SASL_MECHANISM=scram-sha-512,`);
    print(
      `and the name and password of their service from ${secretsFile} as KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.`,
    );
  }
  await interrupted;
  await broker.stop();
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
