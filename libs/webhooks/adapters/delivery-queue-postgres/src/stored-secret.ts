import { type KeyWrapper, openStoredKey, type StoredKey } from '@florin/kernel';

/** A secret as the vault stores it, with the object that its wrapping is bound to. */
export interface StoredSecret extends StoredKey {
  readonly context: string;
}

export function secretContext(secretId: string, endpointId: string): string {
  return `webhook secret ${secretId} of endpoint ${endpointId}`;
}

export async function openSecret(stored: StoredSecret, keys: KeyWrapper): Promise<string> {
  return (await openStoredKey(stored, stored.context, keys)).toString('utf8');
}
