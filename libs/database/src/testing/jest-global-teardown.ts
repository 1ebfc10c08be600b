/** Jest loads setup and teardown as separate modules of one process; the setup passes its state to the teardown here. */
const run: typeof globalThis & { stopTestServer?: () => Promise<void> } = globalThis;

export function stopLater(stop: () => Promise<void>): void {
  run.stopTestServer = stop;
}

export default async function stopTestServer(): Promise<void> {
  await run.stopTestServer?.();
}
