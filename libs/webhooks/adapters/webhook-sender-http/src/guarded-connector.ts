import type { LookupFunction, Socket } from 'node:net';
import { isIpAddress } from '@florin/kernel';
import { type EgressRules, isAllowedAddress, isLoopbackName } from '@florin/webhooks-domain';
import { buildConnector } from 'undici';

/** Returns all addresses of a host name. */
export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/** The host leads to an address that is not allowed. */
export class ForbiddenAddress extends Error {}

export interface ConnectorOptions extends EgressRules {
  readonly resolve: ResolveAddresses;
  readonly timeoutMs: number;
  /** Trusted certificates, instead of the default ones. */
  readonly ca?: string;
}

/**
 * Connects to allowed addresses only. A name is resolved once per connection, and the socket connects to exactly the
 * addresses that were checked, which prevents DNS rebinding.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { timeoutMs: timeout, ca } = options;
  const connect = buildConnector({ timeout, ...(ca && { ca }), lookup: guardedLookup(options) });
  return (target, callback) => {
    // Node does not call `lookup` for an IP address.
    if (isIpAddress(target.hostname) && !isAllowedAddress(target.hostname, options)) {
      return callback(new ForbiddenAddress(), null);
    }
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (reachesAllowed(socket, options)) return callback(null, socket);
      socket.destroy();
      callback(new ForbiddenAddress(), null);
    });
  };
}

/** Checks the address that the socket is actually connected to. */
function reachesAllowed({ remoteAddress }: Socket, rules: EgressRules): boolean {
  return remoteAddress !== undefined && isAllowedAddress(remoteAddress, rules);
}

function guardedLookup(options: ConnectorOptions): LookupFunction {
  return (hostname, { all }, callback) => {
    allowedAddresses(hostname, options).then(
      (addresses) => (all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family)),
      (error: Error) => callback(error, []),
    );
  };
}

/** One forbidden address forbids the name: a name with public and internal addresses is an attack. */
async function allowedAddresses(hostname: string, options: ConnectorOptions) {
  const loopback = isLoopbackName(hostname.replace(/\.$/, ''));
  const addresses = loopback ? ['127.0.0.1', '::1'] : await options.resolve(hostname);
  if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
  if (!addresses.every((address) => isAllowedAddress(address, options))) throw new ForbiddenAddress();
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}
