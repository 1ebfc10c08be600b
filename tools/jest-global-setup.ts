import { hostSharedFlorin } from '../apps/e2e/src/harness/shared-florin-host';
import { hostTestBroker } from '../libs/adapters/kafka-broker/src/testing/test-broker-host';
import { testBroker } from '../libs/adapters/kafka-broker/src/testing/test-broker';
import startTestDatabase from '../libs/database/src/testing/jest-global-setup';
import { stopLater } from './jest-global-teardown';

/**
 * What all specs of a run share: one Postgres; one Kafka broker and one Florin per composition, which start when the first
 * spec requests them.
 */
export default async function startTestServers(): Promise<void> {
  const stopBroker = await hostTestBroker();
  const stopFlorin = await hostSharedFlorin(testBroker);
  const stop = async (): Promise<void> => {
    // A cluster needs the broker to stop cleanly.
    await stopFlorin().finally(stopBroker);
  };
  try {
    await startTestDatabase();
  } catch (error) {
    // Jest calls no teardown when its setup has failed.
    await stop();
    throw error;
  }
  stopLater(stop);
}
