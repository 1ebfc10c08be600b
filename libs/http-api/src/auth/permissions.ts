import type { Capability, Scope } from '@florin/companies-domain';
import type { EndpointDefinition, Permissions } from '../endpoint-definition';
import { ApiError } from '../errors/api-error';
import type { Caller } from '../caller';
import type { KeyRecord } from './key-record';

/** The external systems that are connected to live. */
export interface LiveConnections {
  readonly liveIssuer: boolean;
  readonly liveChain: boolean;
}

/** The first missing permission, in the documented order, for a valid key. */
export function denialOf(
  { view, caller }: KeyRecord,
  endpoint: EndpointDefinition,
  live: LiveConnections,
): ApiError | undefined {
  if (view.verification !== 'approved') {
    const message = `The company's verification is ${view.verification}: it must be approved before any key works.`;
    return new ApiError('verification_required', message);
  }
  return denialOfRequest(caller, endpoint, live);
}

/** The same for permissions that depend on the body. */
export function denialOfRequest(
  caller: Caller,
  { scope, capability, issuer, chain }: Permissions,
  { liveIssuer, liveChain }: LiveConnections,
): ApiError | undefined {
  const denial = scope && scopeDenial(caller, scope);
  if (denial !== undefined) return denial;
  if (caller.environment === 'live') {
    if (issuer && !liveIssuer) return notConnected('No issuer');
    if (chain && !liveChain) return notConnected('No TRON node');
  }
  return capabilityDenial(caller, capability);
}

/** For a use case whose scope depends on stored data. */
export function requireScope(caller: Caller, scope: Scope | readonly Scope[]): void {
  const denial = scopeDenial(caller, scope);
  if (denial !== undefined) throw denial;
}

function scopeDenial({ scopes }: Caller, needed: Scope | readonly Scope[]): ApiError | undefined {
  const anyOf = typeof needed === 'string' ? [needed] : needed;
  for (const scope of anyOf) if (scopes.includes(scope)) return undefined;
  return new ApiError('scope_missing', `This request requires a key with the scope ${anyOf.join(' or ')}.`);
}

function capabilityDenial(caller: Caller, needed: Capability | undefined): ApiError | undefined {
  if (needed === undefined || caller.environment !== 'live' || caller.activations.includes(needed)) return undefined;
  return new ApiError(
    'capability_inactive',
    `The company is not activated for live ${needed}: request the activation.`,
  );
}

function notConnected(what: string): ApiError {
  const message = `${what} is connected to live yet: use the sandbox until live is available.`;
  return new ApiError('capability_inactive', message);
}
