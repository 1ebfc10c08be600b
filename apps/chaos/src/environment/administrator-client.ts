import type { KafkaAdministrator } from '@florin/dev-platform';
import { Kafka, logLevel } from 'kafkajs';

/** A client that may read and write every topic. Its errors are expected while the broker is down. */
export function administratorClient({ brokers, ssl, sasl }: KafkaAdministrator): Kafka {
  return new Kafka({ clientId: 'chaos', brokers: [...brokers], ssl: ssl ?? false, sasl, logLevel: logLevel.NOTHING });
}
