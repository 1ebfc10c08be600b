import stopTestDatabase from '../libs/database/src/testing/jest-global-teardown';

/** Jest loads the setup and the teardown apart, in one process: what the setup leaves for the teardown is kept here. */
const run: typeof globalThis & { stopTestBroker?: () => Promise<void> } = globalThis;

export function stopLater(stopBroker: () => Promise<void>): void {
  run.stopTestBroker = stopBroker;
}

export default async function stopTestServers(): Promise<void> {
  await Promise.all([run.stopTestBroker?.(), stopTestDatabase()]);
}
