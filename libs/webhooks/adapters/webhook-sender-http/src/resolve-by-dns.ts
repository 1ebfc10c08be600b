import { Resolver } from 'node:dns/promises';
import type { ResolveAddresses } from './guarded-connector';

/**
 * Queries the name servers directly. The lookup of the system would block one of a few threads, so that a handful of
 * unresponsive name servers would block all deliveries, and it would also resolve names of the local network.
 */
export function resolveByDns(): ResolveAddresses {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  return async (hostname) => {
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const [failed] = results.filter((result) => result.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason;
    return addresses;
  };
}
