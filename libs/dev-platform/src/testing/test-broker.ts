import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** The port on which the main process of the test run reports the broker's address. */
export const TEST_BROKER_VARIABLE = 'FLORIN_TEST_KAFKA_PORT';

/** The timeout for `testBroker()`, which downloads Kafka on its first use. */
export const BROKER_TIMEOUT_MS = 600_000;

export type BrokerReply = { readonly address: string } | { readonly failure: string };

/**
 * The address of the broker that all suites of the run share; the first call starts it. A suite uses its own prefix for
 * topics and groups. A suite that kills a broker starts its own with `KafkaBroker`.
 */
export async function testBroker(): Promise<string> {
  const port = Number(process.env[TEST_BROKER_VARIABLE]);
  if (!port) throw new Error(`${TEST_BROKER_VARIABLE} is not set; run the specs with Jest from the root folder.`);
  const reply = JSON.parse(await text(connect(port, '127.0.0.1'))) as BrokerReply;
  if ('failure' in reply) throw new Error(reply.failure);
  return reply.address;
}
