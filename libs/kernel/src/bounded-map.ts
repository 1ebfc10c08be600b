/**
 * A map that keeps what was used last, at most `limit` entries, so that no client can fill the memory. Entries live in
 * two generations: using one moves it to the younger, and when that is full the older is forgotten as a whole. So at least
 * half of the limit is always kept, and being used costs next to nothing.
 */
export class BoundedMap<Value> {
  private recent = new Map<string, Value>();
  private older = new Map<string, Value>();
  private readonly half: number;

  constructor(limit: number) {
    this.half = Math.max(1, Math.floor(limit / 2));
  }

  get(key: string): Value | undefined {
    const value = this.recent.get(key);
    if (value !== undefined) return value;
    const old = this.older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.recent.size >= this.half && !this.recent.has(key)) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, value);
  }

  delete(key: string): void {
    this.recent.delete(key);
    this.older.delete(key);
  }

  clear(): void {
    this.recent.clear();
    this.older.clear();
  }
}
