const keySize = 16;
const minSlots = 1_024;

/**
 * A record of some bytes per UUID, such as for every stream of a log. A Map with objects takes ten times as much memory, and
 * the garbage collector visits each of them. Plain data, so that it can be stored.
 */
export class UuidRecords {
  size = 0;
  /** The number of the record in each slot, from 1; 0 if it is free. The first free slot ends a search. */
  private slots = new Uint32Array(minSlots);
  private data: Buffer;

  constructor(private readonly recordSize: number) {
    this.data = Buffer.alloc(minSlots * this.stride);
  }

  /** From the fields of another one, which was stored. */
  static from(stored: UuidRecords): UuidRecords {
    const records = Object.assign(new UuidRecords(stored.recordSize), stored);
    const { buffer, byteOffset, byteLength } = stored.data;
    records.data = Buffer.from(buffer, byteOffset, byteLength);
    return records;
  }

  /** The bytes of all records. Adding a record may replace them. */
  get bytes(): Buffer {
    return this.data;
  }

  /** Where the record begins in `bytes`; undefined if there is none. */
  find(id: string): number | undefined {
    return parseKey(id) ? this.offsetOf(this.slots[this.slotOf(key)]!) : undefined;
  }

  /** Where the record begins in `bytes`. A new one has zeros only. Undefined if the id is not a UUID in lower case. */
  add(id: string): number | undefined {
    if (!parseKey(id)) return undefined;
    const slot = this.slotOf(key);
    const known = this.offsetOf(this.slots[slot]!);
    if (known !== undefined) return known;
    const offset = this.size * this.stride + keySize;
    this.size += 1;
    if (this.size * this.stride > this.data.length) this.data = enlarged(this.data);
    this.data.set(key, offset - keySize);
    this.slots[slot] = this.size;
    if (this.size * 2 > this.slots.length) this.enlargeSlots();
    return offset;
  }

  /** Where the records begin in `bytes`. */
  *offsets(): Generator<number> {
    for (let number = 1; number <= this.size; number++) yield this.offsetOf(number)!;
  }

  /** The ids, with where their records begin, in the order in which they were added. */
  *entries(): Generator<[id: string, offset: number]> {
    for (const offset of this.offsets()) yield [uuidAt(this.data, offset - keySize), offset];
  }

  private get stride(): number {
    return keySize + this.recordSize;
  }

  private offsetOf(number: number): number | undefined {
    return number === 0 ? undefined : (number - 1) * this.stride + keySize;
  }

  private slotOf(wanted: Uint8Array): number {
    const mask = this.slots.length - 1;
    let slot = hashOf(wanted, 0) & mask;
    for (;;) {
      const offset = this.offsetOf(this.slots[slot]!);
      if (offset === undefined || this.hasKeyAt(offset - keySize, wanted)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private hasKeyAt(start: number, wanted: Uint8Array): boolean {
    for (let index = 0; index < keySize; index++) if (this.data[start + index] !== wanted[index]) return false;
    return true;
  }

  private enlargeSlots(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const mask = this.slots.length - 1;
    for (let number = 1; number <= this.size; number++) {
      let slot = hashOf(this.data, (number - 1) * this.stride) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = number;
    }
  }
}

/** A set of ids. Those that are UUIDs take few bytes. */
export class IdSet {
  private readonly uuids = new UuidRecords(0);
  private readonly others = new Set<string>();

  get size(): number {
    return this.uuids.size + this.others.size;
  }

  add(id: string): void {
    if (this.uuids.add(id) === undefined) this.others.add(id);
  }

  has(id: string): boolean {
    return this.uuids.find(id) !== undefined || this.others.has(id);
  }
}

/** Writes a UUID as bytes. Returns whether it could. */
export function writeUuid(target: Buffer, offset: number, id: string): boolean {
  if (!parseKey(id)) return false;
  target.set(key, offset);
  return true;
}

export function uuidAt(source: Buffer, offset: number): string {
  const hex = source.toString('hex', offset, offset + keySize);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const key = new Uint8Array(keySize);
/** The id that `key` contains. The readers of one event search the same id one after another. */
let keyText = '';
const textLength = 36;
const hyphen = 45;
const notADigit = 255;

/** The values of lowercase hexadecimal digits by character code. */
const digits = new Uint8Array(128).fill(notADigit);
for (const [value, digit] of [...'0123456789abcdef'].entries()) digits[digit.charCodeAt(0)] = value;

/** Parses a UUID into `key`. Returns whether it is one in lower case. */
function parseKey(id: string): boolean {
  if (id.length !== textLength) return false;
  if (id === keyText) return true;
  keyText = '';
  let at = 0;
  for (let index = 0; index < keySize; index++) {
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (id.charCodeAt(at) !== hyphen) return false;
      at += 1;
    }
    const high = digits[id.charCodeAt(at)] ?? notADigit;
    const low = digits[id.charCodeAt(at + 1)] ?? notADigit;
    if (high === notADigit || low === notADigit) return false;
    key[index] = (high << 4) | low;
    at += 2;
  }
  keyText = id;
  return true;
}

/** UUIDs are random, except for those of tests. */
function hashOf(bytes: Uint8Array, start: number): number {
  let hash = 0;
  for (let index = 0; index < keySize; index++) hash = (Math.imul(hash, 31) + bytes[start + index]!) | 0;
  return hash >>> 0;
}

function enlarged(data: Buffer): Buffer {
  const larger = Buffer.alloc(data.length * 2);
  larger.set(data);
  return larger;
}
