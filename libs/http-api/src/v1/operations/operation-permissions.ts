import type { Scope } from '@florin/companies-domain';
import type { OperationType } from '@florin/operations-domain';
import type { Permissions } from '../../endpoint-definition';

/** The scope that an operation of this type requires. */
export const writeScopes: Readonly<Record<OperationType, Scope>> = {
  issue: 'cards:write',
  topup: 'cards:write',
  service: 'services:write',
  unload: 'cards:write',
};

const permissionsOfType: Readonly<Record<OperationType, Permissions>> = {
  issue: { scope: writeScopes.issue, issuer: true },
  topup: { scope: writeScopes.topup, issuer: true },
  service: { scope: writeScopes.service, issuer: true, capability: 'services' },
  unload: { scope: writeScopes.unload, issuer: true },
};

/** Every type requires an issuer, so a body without a valid type does, too. */
export function operationPermissions(body: unknown): Permissions {
  const type = (body as { readonly type?: unknown } | null | undefined)?.type;
  return typeof type === 'string' && Object.hasOwn(permissionsOfType, type)
    ? permissionsOfType[type as OperationType]
    : { issuer: true };
}
