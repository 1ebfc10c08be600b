import { createPrivateFile } from '@florin/database';
import { LogPublicKeys, LogSigningKey, openSigningKeyFile, readSigningKeyFile } from '@florin/event-sourcing';
import { join } from 'node:path';
import type { Config } from '../config';

export interface SigningKeys {
  readonly key: LogSigningKey;
  readonly earlierKeys: LogPublicKeys;
}

type KeyConfig = Pick<Config, 'LOG_SIGNING_KEY' | 'LOG_PUBLIC_KEYS' | 'FLORIN_DATA_DIR' | 'DATABASE_URL'>;

/** The key of an installation with an embedded database, which needs no configuration. */
export function signingKeyFile(dataDirectory: string): string {
  return join(dataDirectory, 'log-signing-key.pem');
}

/** Undefined without LOG_SIGNING_KEY on an external database: a key that only one replica has would be of no use. */
export function openSigningKeys(config: KeyConfig): SigningKeys | undefined {
  const earlierKeys = earlierKeysOf(config);
  if (config.LOG_SIGNING_KEY !== undefined) {
    return { key: LogSigningKey.parse(config.LOG_SIGNING_KEY), earlierKeys };
  }
  if (config.DATABASE_URL !== undefined) return undefined;
  return { key: openSigningKeyFile(signingKeyFile(config.FLORIN_DATA_DIR), createPrivateFile), earlierKeys };
}

/** The key that this installation signs with, for tools. Creates none. */
export function knownSigningKey({ LOG_SIGNING_KEY, FLORIN_DATA_DIR }: KeyConfig): LogSigningKey | undefined {
  return LOG_SIGNING_KEY === undefined
    ? readSigningKeyFile(signingKeyFile(FLORIN_DATA_DIR))
    : LogSigningKey.parse(LOG_SIGNING_KEY);
}

/** All public keys that this installation knows, for a verifier. Creates none. */
export function knownPublicKeys(config: KeyConfig): LogPublicKeys {
  const key = knownSigningKey(config);
  return earlierKeysOf(config).with(key === undefined ? [] : [key.publicKey]);
}

function earlierKeysOf({ LOG_PUBLIC_KEYS }: KeyConfig): LogPublicKeys {
  return LogPublicKeys.parse(LOG_PUBLIC_KEYS ?? '');
}
