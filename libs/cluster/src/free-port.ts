import { isFree } from '@florin/kafka-broker';
import { randomInt } from 'node:crypto';

export const loopback = '127.0.0.1';

/**
 * Below the ports that systems hand out to outgoing connections: a service takes seconds until it listens, and of those
 * ports some connection of a neighbour would now and then have taken the very one.
 */
const [lowest, highest] = [20_000, 32_000];
const attempts = 100;

/** Lately chosen ones: whoever got one may not be listening yet. */
const chosen = new Set<number>();

/** A port of the loopback address that nobody listens on, and that nobody else gets from here. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, highest);
    if (chosen.has(port)) continue;
    chosen.add(port);
    if (await isFree(port)) return port;
    chosen.delete(port);
  }
  throw new Error(`Of ${attempts} ports tried between ${lowest} and ${highest} none is free; end what holds them.`);
}

export function releasePort(port: number): void {
  chosen.delete(port);
}
