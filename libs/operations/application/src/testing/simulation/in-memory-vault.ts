import { sha256 } from '@florin/kernel';
import type { HolderVault, HolderDetails } from '@florin/operations-domain';

/** Implements the port without encryption. */
export class InMemoryVault implements HolderVault {
  readonly confirmed = new Set<string>();
  private readonly destroyed = new Set<string>();

  async seal(_holderId: string, person: Partial<HolderDetails>): Promise<string> {
    return JSON.stringify(person);
  }

  async unseal(holderId: string, sealed: string): Promise<Partial<HolderDetails> | undefined> {
    return this.destroyed.has(holderId) ? undefined : (JSON.parse(sealed) as Partial<HolderDetails>);
  }

  async fingerprint(holderId: string, text: string): Promise<string> {
    return sha256(`${holderId} ${text}`);
  }

  async destroy(holderId: string): Promise<void> {
    this.destroyed.add(holderId);
  }

  async prepare(): Promise<void> {
    // There are no keys.
  }

  async discard(): Promise<void> {
    // There are no keys.
  }

  async confirm(holderId: string): Promise<void> {
    this.confirmed.add(holderId);
  }
}
