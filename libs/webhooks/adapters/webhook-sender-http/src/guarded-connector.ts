import type { LookupFunction, Socket } from 'node:net';
import { type EgressRules, isAddress, isAllowedAddress, isLoopbackName } from '@florin/webhooks-domain';
import { buildConnector } from 'undici';

/** All addresses that a name has at this moment. */
export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/** We do not connect to where the address leads. */
export class ForbiddenAddress extends Error {}

export interface ConnectorOptions extends EgressRules {
  readonly resolve: ResolveAddresses;
  readonly timeoutMs: number;
  /** Certificates that are trusted instead of the usual ones. */
  readonly ca?: string;
}

/**
 * Opens connections only to allowed addresses. A name is resolved once for each connection, and the addresses that were
 * checked are the very ones that are connected to: an answer that changes between a check and its use changes nothing.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { timeoutMs: timeout, ca } = options;
  const connect = buildConnector({ timeout, ...(ca && { ca }), lookup: guardedLookup(options) });
  return (target, callback) => {
    // Node asks no lookup for what is an address already.
    if (isAddress(target.hostname) && !isAllowedAddress(target.hostname, options)) {
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

/** The last word has the socket itself. */
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

/** A name that leads to us as well as to the world is a trick, so one forbidden address forbids the name. */
async function allowedAddresses(hostname: string, options: ConnectorOptions) {
  const loopback = isLoopbackName(hostname.replace(/\.$/, ''));
  const addresses = loopback ? ['127.0.0.1', '::1'] : await options.resolve(hostname);
  if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
  if (!addresses.every((address) => isAllowedAddress(address, options))) throw new ForbiddenAddress();
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}
