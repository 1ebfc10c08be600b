const headerBytes = 20;
const initialBytes = 16 * 1024;
/** A buffer that grew beyond this size for one huge batch is released. */
const maxRetainedBytes = 1024 * 1024;

export const textType = 25;
export const integerType = 23;
export const uuidType = 2950;
export const byteaType = 17;

/**
 * A one-dimensional array in Postgres' binary format, written into a reusable buffer: texts are encoded once, without
 * quoting here or parsing in the server.
 */
export class BinaryArray {
  private bytes = Buffer.allocUnsafe(initialBytes);
  private end = headerBytes;
  private length = 0;

  constructor(private readonly elementType: number) {}

  clear(): void {
    if (this.bytes.length > maxRetainedBytes) this.bytes = Buffer.allocUnsafe(initialBytes);
    this.end = headerBytes;
    this.length = 0;
  }

  addText(text: string): void {
    // A UTF-16 code unit takes at most three bytes of UTF-8.
    this.reserve(4 + text.length * 3);
    const written = this.bytes.write(text, this.end + 4);
    this.bytes.writeInt32BE(written, this.end);
    this.end += 4 + written;
    this.length += 1;
  }

  addBytes(bytes: Buffer): void {
    this.reserve(4 + bytes.length);
    this.bytes.writeInt32BE(bytes.length, this.end);
    bytes.copy(this.bytes, this.end + 4);
    this.end += 4 + bytes.length;
    this.length += 1;
  }

  addInteger(value: number): void {
    this.reserve(8);
    this.bytes.writeInt32BE(4, this.end);
    this.bytes.writeInt32BE(value, this.end + 4);
    this.end += 8;
    this.length += 1;
  }

  addUuid(uuid: string): void {
    this.reserve(20);
    const { bytes } = this;
    bytes.writeInt32BE(16, this.end);
    let at = this.end + 4;
    for (let index = 0; index < 36; index += 2) {
      if (index === 8 || index === 13 || index === 18 || index === 23) index += 1;
      bytes[at++] = (hexDigit(uuid.charCodeAt(index)) << 4) | hexDigit(uuid.charCodeAt(index + 1));
    }
    this.end = at;
    this.length += 1;
  }

  /** The encoded array. It shares memory with this object: use it before the next `clear`. */
  encoded(): Buffer {
    const dimensions = this.length === 0 ? 0 : 1;
    this.bytes.writeInt32BE(dimensions, 0);
    this.bytes.writeInt32BE(0, 4);
    this.bytes.writeInt32BE(this.elementType, 8);
    if (dimensions === 0) return this.bytes.subarray(0, 12);
    this.bytes.writeInt32BE(this.length, 12);
    this.bytes.writeInt32BE(1, 16);
    return this.bytes.subarray(0, this.end);
  }

  private reserve(bytes: number): void {
    const needed = this.end + bytes;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

/** Lowercase only; the caller has checked the digits. */
function hexDigit(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}
