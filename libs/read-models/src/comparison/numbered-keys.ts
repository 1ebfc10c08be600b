/** Keys that end with a number, with one bit each. The numbers of one prefix begin at zero and have few gaps. */
export class NumberedKeys {
  size = 0;
  private readonly bits = new Map<string, Uint8Array>();

  add(key: string): void {
    const [prefix, byte, bit] = partsOf(key);
    let bits = this.bits.get(prefix) ?? new Uint8Array(8);
    if (byte >= bits.length) {
      const longer = new Uint8Array(Math.max(bits.length * 2, byte + 1));
      longer.set(bits);
      bits = longer;
    }
    this.bits.set(prefix, bits);
    if ((bits[byte]! & bit) !== 0) return;
    bits[byte]! |= bit;
    this.size += 1;
  }

  has(key: string): boolean {
    const [prefix, byte, bit] = partsOf(key);
    return ((this.bits.get(prefix)?.[byte] ?? 0) & bit) !== 0;
  }
}

/** Without operators on 32 bits, which would confuse a forged large number with a small one. */
function partsOf(key: string): [prefix: string, byte: number, bit: number] {
  const end = key.lastIndexOf(' ');
  const number = Number(key.slice(end + 1));
  return [key.slice(0, end), Math.floor(number / 8), 2 ** (number % 8)];
}
