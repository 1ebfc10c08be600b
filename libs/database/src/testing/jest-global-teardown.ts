/** Jest loads the setup and the teardown apart, in one process: what the setup leaves for the teardown is kept here. */
const run: typeof globalThis & { stopTestServer?: () => Promise<void> } = globalThis;

export function stopLater(stop: () => Promise<void>): void {
  run.stopTestServer = stop;
}

export default async function stopTestServer(): Promise<void> {
  await run.stopTestServer?.();
}
