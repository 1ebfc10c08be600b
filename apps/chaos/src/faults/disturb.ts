import type { TcpProxy } from '@florin/dev-platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultKind } from './fault-kinds';

/** Cuts, refuses or delays the connections of a proxy, and undoes it. */
export async function disturb(proxy: TcpProxy, kind: FaultKind, forMs: number, delayMs: number): Promise<void> {
  if (kind.startsWith('cut')) return proxy.cut();
  if (kind.startsWith('refuse')) proxy.refuse();
  else proxy.delay(delayMs);
  await delay(forMs);
  proxy.resume();
}
