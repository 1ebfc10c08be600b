import type { Capability, Scope } from '@florin/companies-domain';
import type { EndpointDefinition } from '../endpoint-definition';
import { ApiError } from '../errors/api-error';
import type { Caller } from '../input';
import type { KeyRecord } from './key-record';

/** The first reason, in the documented order, why a valid key may not use an endpoint. */
export function denialOf({ view, caller }: KeyRecord, endpoint: EndpointDefinition): ApiError | undefined {
  if (view.verification !== 'approved') {
    const message = `The company's verification is ${view.verification}: every key needs an approved one.`;
    return new ApiError('verification_required', message);
  }
  return scopeDenial(caller, endpoint.scope) ?? capabilityDenial(caller, endpoint.capability);
}

/** For a use case whose scope depends on the body. */
export function requireScope(caller: Caller, scope: Scope): void {
  const denial = scopeDenial(caller, scope);
  if (denial !== undefined) throw denial;
}

/** For a use case whose capability depends on the body. */
export function requireCapability(caller: Caller, capability: Capability): void {
  const denial = capabilityDenial(caller, capability);
  if (denial !== undefined) throw denial;
}

function scopeDenial({ scopes }: Caller, needed: Scope | readonly Scope[]): ApiError | undefined {
  const anyOf = typeof needed === 'string' ? [needed] : needed;
  for (const scope of anyOf) if (scopes.includes(scope)) return undefined;
  return new ApiError('scope_missing', `This needs a key with the scope ${anyOf.join(' or ')}.`);
}

function capabilityDenial(caller: Caller, needed: Capability | undefined): ApiError | undefined {
  if (needed === undefined || caller.environment !== 'live' || caller.activations.includes(needed)) return undefined;
  return new ApiError('capability_inactive', `The company is not activated for live ${needed}: ask for activation.`);
}
