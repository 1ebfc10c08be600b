/** Keeps the signing secrets of endpoints, outside the event log. */
export interface SecretVault {
  /** Makes the secret `whsec_…` under this id, or gives the one that is there: a repeated request gets the same. */
  create(endpointId: string, secretId: string): Promise<string>;
  /** Those that exist, by their ids. */
  read(secretIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Forgets all secrets of an endpoint. */
  destroy(endpointId: string): Promise<void>;
}

export const SECRET_VAULT = Symbol('SecretVault');
