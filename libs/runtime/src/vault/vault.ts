import { provideVaultKeyFile, vaultKeyFileIn } from '@florin/database';
import { PostgresSecretVault } from '@florin/delivery-queue-postgres';
import { PostgresHolderVault } from '@florin/holder-vault-postgres';
import { KeyRing, type KeyWrapper, parseVaultKey, type VaultTable } from '@florin/kernel';
import { existsSync } from 'node:fs';
import type { Pool } from 'pg';
import type { Config } from '../config';
import { explainDataFolderErrors, StartupError } from '../startup-error';
import { BadVaultKeyFile, FileKeyRing } from './file-key-ring';

/** The tables of the vault that a service reads or writes. */
export type VaultTableName = 'holderKeys' | 'webhookSecrets';

/** The tables of the vault, and the keys that wrap their content. */
export interface Vault {
  readonly keys: KeyWrapper;
  readonly holderKeys: PostgresHolderVault;
  readonly webhookSecrets: PostgresSecretVault;
}

interface VaultLog {
  warn(details: object, message: string): void;
}

type VaultConfig = Pick<Config, 'VAULT_KEY' | 'VAULT_KEY_FILE' | 'DATABASE_URL' | 'FLORIN_DATA_DIR'>;

/** A key is generated only for the embedded database: a key that only one of several services has would be of no use. */
export function requireVaultKey({ VAULT_KEY, VAULT_KEY_FILE, DATABASE_URL }: VaultConfig): void {
  if (VAULT_KEY !== undefined || VAULT_KEY_FILE !== undefined || DATABASE_URL === undefined) return;
  throw new StartupError(
    'VAULT_KEY or VAULT_KEY_FILE must be set with DATABASE_URL. Generate a key with `openssl rand -base64 32`, and give ' +
      'all services the same one.',
  );
}

/** Opens the vault of a service. The embedded database gets a generated vault key; an external one needs a configured key. */
export async function openVault(
  config: Config,
  pool: Pool,
  names: readonly VaultTableName[],
  log: VaultLog,
): Promise<Vault> {
  if (usesKeyOfDataFolder(config)) {
    await explainDataFolderErrors(config, async () => provideVaultKeyFile(config.FLORIN_DATA_DIR));
  }
  const keys = openVaultKeys(config, log)!;
  const vault = vaultOn(pool, keys);
  await checkVault(
    names.map((name) => vault[name]),
    keys,
    log,
  );
  return vault;
}

export function vaultOn(pool: Pool, keys: KeyWrapper): Vault {
  return {
    keys,
    holderKeys: new PostgresHolderVault(pool, keys),
    webhookSecrets: new PostgresSecretVault(pool, keys),
  };
}

/** The configured vault keys; undefined if there are none. */
export function openVaultKeys(config: VaultConfig, log: VaultLog): KeyWrapper | undefined {
  if (config.VAULT_KEY !== undefined) return new KeyRing(config.VAULT_KEY.map((text) => parseVaultKey(text)!));
  const generated = usesKeyOfDataFolder(config) ? vaultKeyFileIn(config.FLORIN_DATA_DIR) : undefined;
  const file = config.VAULT_KEY_FILE ?? (generated !== undefined && existsSync(generated) ? generated : undefined);
  if (file === undefined) return undefined;
  try {
    return new FileKeyRing(file, (error) => {
      log.warn({ err: error }, 'The changed vault key file is invalid; the keys read before stay in use');
    });
  } catch (error) {
    if (error instanceof BadVaultKeyFile) throw new StartupError(error.message, { cause: error });
    throw error;
  }
}

/** Fails if the vault has keys that no configured vault key unwraps: with a wrong vault key nothing must be written. */
export async function checkVault(tables: readonly VaultTable[], keys: KeyWrapper, log: VaultLog): Promise<void> {
  for (const table of tables) {
    for (const [keyId, count] of await table.countByVaultKey()) {
      if (keyId === null) {
        log.warn({ table: table.name, count }, 'The vault has keys that are not wrapped. Run `florin vault rotate`');
      } else if (!(await keys.knows(keyId))) {
        throw new StartupError(
          `The vault has ${count} ${table.name} that are wrapped with the vault key ${keyId}, which is not configured. ` +
            'Add it to VAULT_KEY or VAULT_KEY_FILE; without it they cannot be read.',
        );
      }
    }
  }
}

function usesKeyOfDataFolder({ VAULT_KEY, VAULT_KEY_FILE, DATABASE_URL }: VaultConfig): boolean {
  return VAULT_KEY === undefined && VAULT_KEY_FILE === undefined && DATABASE_URL === undefined;
}
