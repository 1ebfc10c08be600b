/** The personal data of a holder. */
export interface PersonalData {
  readonly name: string;
  readonly email: string;
}

/**
 * Stores one encryption key per holder outside the event log (crypto-shredding). Destroying the key makes the personal
 * data unreadable in the log, its backups and every replay. Everything else stays readable.
 */
export interface HolderVault {
  /** Creates the holder's key if there is none. Sealing the same data twice gives different ciphertexts. */
  seal(holderId: string, person: PersonalData): Promise<string>;
  /** Undefined once the key is destroyed. */
  unseal(holderId: string, sealed: string): Promise<PersonalData | undefined>;
  /** A keyed hash: the same for the same text, and useless without the key. */
  fingerprint(holderId: string, text: string): Promise<string>;
  /** Destroys the key permanently. The holder never gets a new one. */
  destroy(holderId: string): Promise<void>;
}

/** The object that a holder's wrapped key is bound to. */
export function holderKeyContext(holderId: string): string {
  return `holder ${holderId}`;
}

export const HOLDER_VAULT = Symbol('HolderVault');
