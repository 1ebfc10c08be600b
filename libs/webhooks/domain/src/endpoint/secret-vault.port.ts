/** Stores the signing secrets of endpoints outside the event log. */
export interface SecretVault {
  /** Creates the secret `whsec_…` with this id, or returns the existing one, so that a repeated request gets the same. */
  create(endpointId: string, secretId: string): Promise<string>;
  /** The existing secrets by id. */
  read(secretIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Deletes one secret, whose request was refused. */
  discard(endpointId: string, secretId: string): Promise<void>;
  /** Deletes secrets that were replaced long ago. Keeps the newest ones, which may sign or belong to requests in progress. */
  destroyOld(endpointId: string): Promise<void>;
  /** Deletes all secrets of an endpoint. */
  destroy(endpointId: string): Promise<void>;
}

export const SECRET_VAULT = Symbol('SecretVault');
