import stopTestDatabase from '../libs/database/src/testing/jest-global-teardown';

/** Jest loads setup and teardown as separate modules of one process; they share state through the global object. */
const run: typeof globalThis & { stopTestBroker?: () => Promise<void> } = globalThis;

export function stopLater(stopBroker: () => Promise<void>): void {
  run.stopTestBroker = stopBroker;
}

export default async function stopTestServers(): Promise<void> {
  await Promise.all([run.stopTestBroker?.(), stopTestDatabase()]);
}
