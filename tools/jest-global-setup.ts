import { hostTestBroker } from '../libs/dev-platform/src/testing/test-broker-host';
import startTestDatabase from '../libs/database/src/testing/jest-global-setup';
import { stopLater } from './jest-global-teardown';

/** Their specs need no server, so a run of nothing else starts faster without one. */
const needNoServers = /^libs\/(kernel|webhook-verifier|[^/]+\/domain)\//;

/** Starts what all specs of a run share: one Postgres, and one Kafka broker as soon as the first suite requests it. */
export default async function startTestServers({ nonFlagArgs }: { nonFlagArgs: string[] }): Promise<void> {
  if (nonFlagArgs.length > 0 && nonFlagArgs.every((path) => needNoServers.test(path))) return;
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
