import stopTestDatabase from '../libs/database/src/testing/jest-global-teardown';

/** Jest loads setup and teardown as separate modules of one process; they share state through the global object. */
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
