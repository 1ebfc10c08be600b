import { hostSharedFlorin } from '../apps/e2e/src/harness/shared-florin-host';
import { freePort } from '../libs/dev-platform/src/network/free-port';
import { ManagedProcess } from '../libs/dev-platform/src/process/managed-process';
import { testBroker } from '../libs/dev-platform/src/testing/test-broker';
import { hostTestBroker } from '../libs/dev-platform/src/testing/test-broker-host';
import startTestDatabase from '../libs/database/src/testing/jest-global-setup';
import { stopLater } from './jest-global-teardown';

/** Specs in these folders need no server; a run of only these starts faster without. */
const needNoServers = /^(clients|libs\/(kernel|[^/]+\/domain))\//;

/** Starts what all specs of a run share: one Postgres, and a Kafka broker and a Florin when the first spec requests them. */
export default async function startTestServers({ nonFlagArgs }: { nonFlagArgs: string[] }): Promise<void> {
  if (nonFlagArgs.length > 0 && nonFlagArgs.every((path) => needNoServers.test(path))) return;
  const stopBroker = await hostTestBroker();
  const stopFlorin = await hostSharedFlorin({ freePort, testBroker, launch: (options) => new ManagedProcess(options) });
  // A cluster needs the broker to stop cleanly.
  const stop = (): Promise<void> => stopFlorin().finally(stopBroker);
  try {
    await startTestDatabase();
  } catch (error) {
    // Jest does not call the teardown if the setup fails.
    await stop();
    throw error;
  }
  stopLater(stop);
}
