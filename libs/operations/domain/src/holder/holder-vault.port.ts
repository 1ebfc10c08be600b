/** What Florin knows of a person. */
export interface PersonalData {
  readonly name: string;
  readonly email: string;
}

/**
 * Keeps one key per holder, outside the event log. What is sealed with it can be read only as long as the key exists:
 * destroying the key erases the person from the log, from its backups and from every replay, and breaks nothing else.
 */
export interface HolderVault {
  /** Makes the holder's key when there is none. Sealing the same data twice gives different texts. */
  seal(holderId: string, person: PersonalData): Promise<string>;
  /** Undefined once the key is destroyed. */
  unseal(holderId: string, sealed: string): Promise<PersonalData | undefined>;
  /** The same for the same text; tells nothing about it without the key. */
  fingerprint(holderId: string, text: string): Promise<string>;
  /** Destroys the key for good: no new one is ever made for this holder. */
  destroy(holderId: string): Promise<void>;
}

export const HOLDER_VAULT = Symbol('HolderVault');
