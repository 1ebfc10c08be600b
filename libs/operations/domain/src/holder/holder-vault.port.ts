import type { Metadata } from '@florin/kernel';

/** The personal data of a holder. */
export interface PersonalData {
  readonly name: string;
  readonly email: string;
}

/** What a company stores about a holder. The metadata may be personal, too, so that erasing the holder includes it. */
export type HolderDetails = PersonalData & { readonly metadata: Metadata };

/**
 * Stores one encryption key per holder outside the event log (crypto-shredding). Destroying the key makes the personal
 * data unreadable in the log, its backups and every replay. Everything else stays readable.
 */
export interface HolderVault {
  /** Creates the holder's key if there is none. Sealing the same data twice gives different ciphertexts. */
  seal(holderId: string, details: Partial<HolderDetails>): Promise<string>;
  /** Undefined once the key is destroyed. */
  unseal(holderId: string, sealed: string): Promise<Partial<HolderDetails> | undefined>;
  /** A keyed hash: the same for the same text, and useless without the key. */
  fingerprint(holderId: string, text: string): Promise<string>;
  /** Destroys the key permanently. The holder never gets a new one. */
  destroy(holderId: string): Promise<void>;
  /**
   * Creates the holder's key before `seal`, for one registration that may be refused. The key is unconfirmed until
   * `confirm`. Each call is followed by at most one `discard`.
   */
  prepare(holderId: string, accountId: string): Promise<void>;
  /** Deletes the unconfirmed key of a refused registration, unless another registration that is not refused uses it. */
  discard(holderId: string): Promise<void>;
  /** Keeps the key of a registered holder permanently. */
  confirm(holderId: string): Promise<void>;
}

/** An unconfirmed key. Its account would contain the holder. */
export interface UnconfirmedKey {
  readonly holderId: string;
  readonly accountId: string;
}

/** Keys whose registration has an unknown outcome, because a process ended before it was known. */
export interface UnconfirmedHolderKeys {
  /** The oldest ones that no registration has used since the given time. */
  unconfirmed(before: Date, limit: number): Promise<readonly UnconfirmedKey[]>;
  confirm(holderId: string): Promise<void>;
  /** Deletes an unconfirmed key, unless a registration has used it since the given time. */
  deleteUnconfirmed(holderId: string, before: Date): Promise<void>;
}

export const UNCONFIRMED_HOLDER_KEYS = Symbol('UnconfirmedHolderKeys');

/** The object that a holder's wrapped key is bound to. */
export function holderKeyContext(holderId: string): string {
  return `holder ${holderId}`;
}

export const HOLDER_VAULT = Symbol('HolderVault');
