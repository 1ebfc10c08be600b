import { hostTestBroker } from '../libs/dev-platform/src/testing/test-broker-host';
import startTestDatabase from '../libs/database/src/testing/jest-global-setup';
import { stopLater } from './jest-global-teardown';

/** What all specs of a run share: one Postgres, and one Kafka broker, which is started only if a suite asks for it. */
export default async function startTestServers(): Promise<void> {
  const stopBroker = await hostTestBroker();
  try {
    await startTestDatabase();
  } catch (error) {
    // Jest calls no teardown when its setup has failed.
    await stopBroker();
    throw error;
  }
  stopLater(stopBroker);
}
