import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** The variable by which the specs of a run find the one process that has the broker. */
export const TEST_BROKER_VARIABLE = 'FLORIN_TEST_KAFKA_PORT';

/** How long `testBroker()` may take at worst: where Kafka was never run before, it is fetched first. */
export const BROKER_PATIENCE_MS = 600_000;

export type Answer = { readonly address: string } | { readonly failure: string };

/**
 * The address of the broker that all suites of the run share; the first who asks has it started. A suite uses topics and
 * groups with a prefix of its own, and leaves the broker alone: whoever wants to kill one starts one with `KafkaBroker`.
 */
export async function testBroker(): Promise<string> {
  const port = Number(process.env[TEST_BROKER_VARIABLE]);
  if (!port) throw new Error(`${TEST_BROKER_VARIABLE} is not set; run the specs with Jest from the root folder.`);
  const answer = JSON.parse(await text(connect(port, '127.0.0.1'))) as Answer;
  if ('failure' in answer) throw new Error(answer.failure);
  return answer.address;
}
