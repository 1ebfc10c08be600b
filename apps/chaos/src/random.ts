import { createHash } from 'node:crypto';

/** A seeded random number generator: the same seed gives the same numbers. */
export class Random {
  private readonly state: Uint32Array;

  constructor(private readonly seed: string) {
    const digest = createHash('sha256').update(seed).digest();
    this.state = Uint32Array.of(...[0, 4, 8, 12].map((offset) => digest.readUInt32LE(offset)));
    // The first numbers of this generator are correlated with its seed.
    for (let skipped = 0; skipped < 12; skipped++) this.next();
  }

  /** A separate generator, so that parts of the program do not affect each other's numbers. */
  fork(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }

  /** From 0 up to, but not including, 1. The generator is sfc32. */
  next(): number {
    const [a = 0, b = 0, c = 0, counter = 0] = this.state;
    const sum = (a + b + counter) | 0;
    this.state[3] = counter + 1;
    this.state[0] = b ^ (b >>> 9);
    this.state[1] = (c + (c << 3)) | 0;
    this.state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('Cannot pick from an empty list.');
    return item;
  }

  /** Picks a name with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.pick(entries)[0];
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map((item) => ({ item, key: this.next() }));
    return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
  }
}
