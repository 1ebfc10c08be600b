import { PostgresSecretVault } from '@florin/delivery-queue-postgres';
import { PostgresHolderVault } from '@florin/holder-vault-postgres';
import { HOLDER_VAULT } from '@florin/operations-domain';
import { SECRET_VAULT } from '@florin/webhooks-domain';
import type { Provider } from '@nestjs/common';
import type { Platform } from './platform';

/** The vaults for personal data and webhook secrets. Contexts write to them, and the API reads from them. */
export function vaults({ pool }: Platform): Provider[] {
  return [
    { provide: HOLDER_VAULT, useValue: new PostgresHolderVault(pool) },
    { provide: SECRET_VAULT, useValue: new PostgresSecretVault(pool) },
  ];
}
