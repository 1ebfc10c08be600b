import stopTestDatabase from '../libs/database/src/testing/jest-global-teardown';

/** Jest loads the setup and the teardown apart, in one process: what the setup leaves for the teardown is kept here. */
const run: typeof globalThis & { stopSharedServers?: () => Promise<void> } = globalThis;

export function stopLater(stop: () => Promise<void>): void {
  run.stopSharedServers = stop;
}

export default async function stopTestServers(): Promise<void> {
  try {
    await run.stopSharedServers?.();
  } finally {
    await stopTestDatabase();
  }
}
