import { Resolver } from 'node:dns/promises';
import type { ResolveAddresses } from './guarded-connector';

/**
 * Asks the name servers directly. The system's own lookup would wait on one of a few threads of the process, so that a
 * handful of names whose servers never answer would hold up everybody, and it would try names within our own network.
 */
export function resolveByDns(): ResolveAddresses {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [failed] = answers.filter((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason;
    return addresses;
  };
}
