/** Stores the signing secrets of endpoints outside the event log. */
export interface SecretVault {
  /** Creates the secret `whsec_…` with this id, or returns the existing one, so that a repeated request gets the same. */
  create(endpointId: string, secretId: string): Promise<string>;
  /** The existing secrets by id. */
  read(secretIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Deletes all secrets of an endpoint. */
  destroy(endpointId: string): Promise<void>;
}

export const SECRET_VAULT = Symbol('SecretVault');
