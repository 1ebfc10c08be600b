/**
 * Revisions that streams are known to have reached. Streams only grow, so what is known never becomes wrong, merely old.
 * It remembers at least the `capacity` streams named last, in two generations: forgetting is dropping the older one.
 */
export class KnownRevisions {
  private recent = new Map<string, number>();
  private older = new Map<string, number>();

  constructor(private readonly capacity: number) {}

  get(stream: string): number | undefined {
    return this.recent.get(stream) ?? this.older.get(stream);
  }

  learn(stream: string, revision: number): void {
    const known = this.get(stream);
    if (this.recent.size >= this.capacity && !this.recent.has(stream)) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(stream, known === undefined || revision > known ? revision : known);
  }
}
