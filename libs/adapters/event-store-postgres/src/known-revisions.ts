import { LRUCache } from 'lru-cache';

/** Revisions that streams have reached at least. Streams only grow, so an entry can be outdated but never wrong. */
export class KnownRevisions {
  private readonly revisions: LRUCache<string, number>;

  constructor(capacity: number) {
    this.revisions = new LRUCache({ max: capacity });
  }

  get(stream: string): number | undefined {
    return this.revisions.get(stream);
  }

  learn(stream: string, revision: number): void {
    const known = this.revisions.get(stream);
    if (known === undefined || revision > known) this.revisions.set(stream, revision);
  }
}
