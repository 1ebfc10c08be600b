/** Keys that end with a number, with one bit each. The numbers of one prefix begin at zero and have few gaps. */
export class NumberedKeys {
  size = 0;
  private readonly bits = new Map<string, Uint8Array>();

  add(key: string): void {
    if (this.has(key)) return;
    const [prefix, index] = partsOf(key);
    let bits = this.bits.get(prefix) ?? new Uint8Array(8);
    if (index >> 3 >= bits.length) {
      const longer = new Uint8Array(Math.max(bits.length * 2, (index >> 3) + 1));
      longer.set(bits);
      bits = longer;
    }
    bits[index >> 3]! |= 1 << (index & 7);
    this.bits.set(prefix, bits);
    this.size += 1;
  }

  has(key: string): boolean {
    const [prefix, index] = partsOf(key);
    return ((this.bits.get(prefix)?.[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }
}

function partsOf(key: string): [prefix: string, index: number] {
  const end = key.lastIndexOf(' ');
  return [key.slice(0, end), Number(key.slice(end + 1))];
}
