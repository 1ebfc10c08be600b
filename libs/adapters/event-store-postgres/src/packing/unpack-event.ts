import type { EventTexts } from './pack-event';
import {
  codes,
  formatVersion,
  hashLength,
  maxReferenced,
  maxReferences,
  minReferenced,
  uuidLength,
} from './packed-format';
import { frequentWords, punctuation, words } from './packed-words';
import { TimeWriter } from './text-values';

/** The bytes are not an event that this release can unpack. */
export class UnknownPacking extends Error {}

const initialBytes = 64 * 1024;
/** A buffer that grew beyond this size for one huge event is released. */
const maxRetainedBytes = 1024 * 1024;
/** Up to this length a loop is faster than a call of `copy`. */
const fewBytes = 64;

/** The texts of all codes that always have the same one. */
const texts = new Array<Buffer | undefined>(256).fill(undefined);
for (const [index, text] of punctuation.entries()) texts[codes.punctuation + index] = Buffer.from(text);
for (const [index, word] of frequentWords.entries()) {
  texts[codes.frequentWord + index] = Buffer.from(word);
  texts[codes.frequentField + index] = Buffer.from(`,"${word}":`);
}
const wordTexts = words.map((word) => Buffer.from(word));
const fieldTexts = words.map((word) => Buffer.from(`,"${word}":`));

const [quote, hyphen] = [0x22, 0x2d];
const digits = Buffer.from('0123456789abcdef');

/** Unpacks one event after another with the same buffers. */
export class EventUnpacker {
  private packed = Buffer.allocUnsafe(initialBytes);
  private at = 0;
  private packedEnd = 0;
  /** The ids of the stream, followed by the texts. */
  private output = Buffer.allocUnsafe(initialBytes);
  private end = 0;
  private readonly starts = new Uint32Array(maxReferences);
  private readonly ends = new Uint32Array(maxReferences);
  private referenceCount = 0;
  private readonly times = new TimeWriter();

  /** `hex` are the packed bytes as hexadecimal digits. Throws `UnknownPacking`. */
  unpack(stream: string, hex: string): EventTexts {
    this.read(hex);
    this.addStreamIds(stream.slice(stream.indexOf('-') + 1));
    const version = this.packed[this.take(1)]!;
    if (version !== formatVersion) throw new UnknownPacking(`packed format ${version}`);
    const metadata = this.nextText(true);
    const data = this.nextText(false);
    return { metadata, data };
  }

  private read(hex: string): void {
    const length = hex.length / 2;
    if (this.output.length > maxRetainedBytes) this.output = Buffer.allocUnsafe(initialBytes);
    if (this.packed.length > maxRetainedBytes) this.packed = Buffer.allocUnsafe(initialBytes);
    if (this.packed.length < length) this.packed = Buffer.allocUnsafe(length);
    this.packedEnd = this.packed.write(hex, 'hex');
    this.at = 0;
    if (this.packedEnd !== length) throw damaged();
  }

  /** The first two references. */
  private addStreamIds(id: string): void {
    this.reserve(id.length * 3);
    this.referenceCount = 0;
    this.end = this.output.write(id);
    this.remember(0);
    this.remember(0);
    this.ends[1] = Math.min(this.end, uuidLength);
  }

  /** The text up to the code `end`, or the last one, which ends with the bytes. */
  private nextText(endsWithCode: boolean): string {
    const start = this.end;
    let isGlued = true;
    for (;;) {
      const code = this.at < this.packedEnd ? this.packed[this.at++]! : undefined;
      if (code === undefined || code === codes.end) {
        if (endsWithCode !== (code === codes.end)) throw damaged();
        return this.output.toString('utf8', start, this.end);
      }
      if (code === codes.glue) {
        isGlued = true;
        continue;
      }
      this.reserve(1 + maxReferenced);
      if (!isGlued) this.output[this.end++] = quote;
      isGlued = false;
      this.addPart(code);
    }
  }

  private addPart(code: number): void {
    const text = texts[code];
    if (text !== undefined) return this.copy(text, 0, text.length);
    if (code >= codes.punctuation) throw damaged();
    if (code >= codes.shortText) return this.addPlain(code - codes.shortText);
    if (code >= codes.reference) return this.addReference(code - codes.reference);
    const start = this.end;
    switch (code) {
      case codes.uuid:
        this.addUuid();
        return this.remember(start);
      case codes.hash:
        this.addDigits(hashLength / 2);
        return this.remember(start);
      case codes.time:
        this.addTime();
        return this.remember(start);
      case codes.text:
        return this.addPlain(this.packed[this.take(1)]!);
      case codes.longText:
        return this.addPlain(this.packed.readUInt32BE(this.take(4)));
      case codes.word:
        return this.addWord(wordTexts);
      case codes.field:
        return this.addWord(fieldTexts);
      default:
        throw damaged();
    }
  }

  private addPlain(length: number): void {
    const from = this.take(length);
    this.reserve(length);
    const start = this.end;
    this.copy(this.packed, from, from + length);
    if (length >= minReferenced && length <= maxReferenced) this.remember(start);
  }

  private addReference(index: number): void {
    if (index >= this.referenceCount) throw damaged();
    const start = this.starts[index]!;
    const end = this.ends[index]!;
    this.reserve(end - start);
    this.copy(this.output, start, end);
  }

  private addWord(list: readonly Buffer[]): void {
    const text = list[this.packed[this.take(1)]!];
    if (text === undefined) throw new UnknownPacking('unknown packed word');
    this.copy(text, 0, text.length);
  }

  private addUuid(): void {
    const from = this.take(16);
    const { packed, output } = this;
    let { end } = this;
    for (let index = 0; index < 16; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) output[end++] = hyphen;
      const byte = packed[from + index]!;
      output[end++] = digits[byte >> 4]!;
      output[end++] = digits[byte & 15]!;
    }
    this.end = end;
  }

  private addDigits(count: number): void {
    const from = this.take(count);
    const { packed, output } = this;
    let { end } = this;
    for (let at = from; at < from + count; at++) {
      output[end++] = digits[packed[at]! >> 4]!;
      output[end++] = digits[packed[at]! & 15]!;
    }
    this.end = end;
  }

  private addTime(): void {
    this.end = this.times.write(this.packed.readUIntBE(this.take(6), 6), this.output, this.end);
  }

  private copy(source: Buffer, from: number, to: number): void {
    const { output } = this;
    let { end } = this;
    if (to - from > fewBytes) end += source.copy(output, end, from, to);
    else for (let at = from; at < to; at++) output[end++] = source[at]!;
    this.end = end;
  }

  /** The offset of the next bytes. */
  private take(count: number): number {
    const from = this.at;
    this.at += count;
    if (this.at > this.packedEnd) throw damaged();
    return from;
  }

  private remember(start: number): void {
    if (this.referenceCount === maxReferences) return;
    this.starts[this.referenceCount] = start;
    this.ends[this.referenceCount++] = this.end;
  }

  private reserve(count: number): void {
    if (this.end + count <= this.output.length) return;
    const larger = Buffer.allocUnsafe((this.end + count) * 2);
    this.output.copy(larger, 0, 0, this.end);
    this.output = larger;
  }
}

function damaged(): UnknownPacking {
  return new UnknownPacking('damaged bytes');
}
