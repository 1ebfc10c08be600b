import {
  codes,
  formatVersion,
  hashLength,
  maxReferenced,
  maxReferences,
  maxShortText,
  maxText,
  minReferenced,
  timeLength,
  uuidLength,
} from './packed-format';
import { digitValues, notADigit, timeAt } from './text-values';
import { codeOf, nextHash, noHash } from './word-codes';

export interface EventTexts {
  readonly data: string;
  readonly metadata: string;
}

const initialBytes = 16 * 1024;
/** Buffers that grew beyond this size for one huge event are released. */
const maxRetainedBytes = 1024 * 1024;
const [quote, comma, colon, hyphen] = [0x22, 0x2c, 0x3a, 0x2d];

/** Packs one event after another with the same buffers. */
export class EventPacker {
  /** The name of the stream, then the texts, in UTF-8. */
  private source = Buffer.allocUnsafe(initialBytes);
  private bytes = Buffer.allocUnsafe(initialBytes);
  private end = 0;
  private readonly starts = new Uint32Array(maxReferences);
  private readonly lengths = new Uint32Array(maxReferences);
  private readonly hashes = new Int32Array(maxReferences);
  private referenceCount = 0;

  /** The packed event. It shares memory with this object: use it before the next call. */
  pack(stream: string, { metadata, data }: EventTexts): Buffer {
    this.reserve(stream.length + metadata.length + data.length);
    const { source } = this;
    const streamEnd = source.write(stream);
    const metadataEnd = streamEnd + source.write(metadata, streamEnd);
    const dataEnd = metadataEnd + source.write(data, metadataEnd);
    const id = stream.includes('-') ? source.indexOf(hyphen) + 1 : 0;
    this.referenceCount = 0;
    this.remember(id, streamEnd, this.hashOf(id, streamEnd));
    const uuidEnd = Math.min(id + uuidLength, streamEnd);
    this.remember(id, uuidEnd, this.hashOf(id, uuidEnd));
    this.bytes[0] = formatVersion;
    this.end = 1;
    this.addText(streamEnd, metadataEnd);
    this.bytes[this.end++] = codes.end;
    this.addText(metadataEnd, dataEnd);
    return this.bytes.subarray(0, this.end);
  }

  /** A character takes at most three bytes, and a part one more than it and its quote, or five more than 255 bytes. */
  private reserve(characters: number): void {
    const needed = 64 + characters * 4;
    if (this.source.length >= needed && this.source.length <= maxRetainedBytes) return;
    this.source = Buffer.allocUnsafe(Math.max(needed, initialBytes));
    this.bytes = Buffer.allocUnsafe(Math.max(needed, initialBytes));
  }

  private addText(start: number, end: number): void {
    const { source } = this;
    for (let at = start; ;) {
      let hash = noHash;
      let partEnd = at;
      for (; partEnd < end && source[partEnd] !== quote; partEnd++) hash = nextHash(hash, source[partEnd]!);
      const afterField = partEnd === at + 1 && source[at] === comma ? this.addField(partEnd + 1, end) : 0;
      if (afterField > 0) {
        at = afterField;
        continue;
      }
      this.addPart(at, partEnd, hash);
      if (partEnd === end) return;
      at = partEnd + 1;
    }
  }

  /** Adds `,"word":"`, of which the word starts here, and returns where it ends; 0 if it is something else. */
  private addField(start: number, end: number): number {
    const { source } = this;
    let hash = noHash;
    let wordEnd = start;
    for (; wordEnd < end && source[wordEnd] !== quote; wordEnd++) hash = nextHash(hash, source[wordEnd]!);
    if (wordEnd + 2 >= end || source[wordEnd + 1] !== colon || source[wordEnd + 2] !== quote) return 0;
    const code = codeOf(source, start, wordEnd, hash)?.field ?? 0;
    if (code === 0) return 0;
    this.addCode(code);
    return wordEnd + 3;
  }

  private addPart(start: number, end: number, hash: number): void {
    const length = end - start;
    // No word is as long as a time.
    const code = length < timeLength ? codeOf(this.source, start, end, hash)?.part : undefined;
    if (code !== undefined) return this.addCode(code);
    if (length < minReferenced || length > maxReferenced) return this.addPlain(start, length);
    if (this.addReference(start, length, hash)) return;
    if (length > uuidLength && length !== hashLength && this.addNameWithUuid(start, end)) return;
    const isShorter =
      (length === uuidLength && this.addUuid(start)) ||
      (length === hashLength && this.addHash(start)) ||
      (length === timeLength && this.addTime(start));
    if (!isShorter) this.addPlain(start, length);
    this.remember(start, end, hash);
  }

  private addReference(start: number, length: number, hash: number): boolean {
    const { hashes, lengths, starts, referenceCount } = this;
    for (let index = 0; index < referenceCount; index++) {
      if (hashes[index] !== hash || lengths[index] !== length || !this.isSame(starts[index]!, start, length)) continue;
      this.bytes[this.end++] = codes.reference + index;
      return true;
    }
    return false;
  }

  /** Such as `<UUID>-sandbox` or `sandbox-<UUID>`. */
  private addNameWithUuid(start: number, end: number): boolean {
    const split = this.isUuid(start) ? start + uuidLength : this.isUuid(end - uuidLength) ? end - uuidLength : 0;
    if (split === 0) return false;
    this.addPart(start, split, this.hashOf(start, split));
    this.bytes[this.end++] = codes.glue;
    this.addPart(split, end, this.hashOf(split, end));
    return true;
  }

  private addUuid(start: number): boolean {
    if (!this.isUuid(start)) return false;
    this.bytes[this.end++] = codes.uuid;
    this.addDigits(start, 8);
    for (let group = start + 9; group < start + 24; group += 5) this.addDigits(group, 4);
    this.addDigits(start + 24, 12);
    return true;
  }

  private addHash(start: number): boolean {
    if (!this.isDigits(start, hashLength)) return false;
    this.bytes[this.end++] = codes.hash;
    this.addDigits(start, hashLength);
    return true;
  }

  private addTime(start: number): boolean {
    const time = timeAt(this.source, start);
    if (time === undefined) return false;
    this.bytes[this.end] = codes.time;
    this.end = this.bytes.writeUIntBE(time, this.end + 1, 6);
    return true;
  }

  private addDigits(start: number, count: number): void {
    const { source, bytes } = this;
    let { end } = this;
    for (let at = start; at < start + count; at += 2) {
      bytes[end++] = (digitValues[source[at]!]! << 4) | digitValues[source[at + 1]!]!;
    }
    this.end = end;
  }

  private addPlain(start: number, length: number): void {
    if (length <= maxShortText) {
      this.bytes[this.end++] = codes.shortText + length;
    } else if (length <= maxText) {
      this.bytes[this.end++] = codes.text;
      this.bytes[this.end++] = length;
    } else {
      this.bytes[this.end] = codes.longText;
      this.end = this.bytes.writeUInt32BE(length, this.end + 1);
    }
    const { source, bytes, end } = this;
    if (length > maxReferenced) source.copy(bytes, end, start, start + length);
    else for (let index = 0; index < length; index++) bytes[end + index] = source[start + index]!;
    this.end = end + length;
  }

  private addCode(code: number): void {
    if (code > 255) this.bytes[this.end++] = code >> 8;
    this.bytes[this.end++] = code & 255;
  }

  private remember(start: number, end: number, hash: number): void {
    if (this.referenceCount === maxReferences) return;
    this.starts[this.referenceCount] = start;
    this.lengths[this.referenceCount] = end - start;
    this.hashes[this.referenceCount++] = hash;
  }

  private hashOf(start: number, end: number): number {
    let hash = noHash;
    for (let at = start; at < end; at++) hash = nextHash(hash, this.source[at]!);
    return hash;
  }

  private isSame(one: number, other: number, length: number): boolean {
    const { source } = this;
    for (let index = 0; index < length; index++) if (source[one + index] !== source[other + index]) return false;
    return true;
  }

  private isUuid(start: number): boolean {
    const { source } = this;
    for (let hyphenAt = start + 8; hyphenAt < start + 24; hyphenAt += 5) if (source[hyphenAt] !== hyphen) return false;
    for (let group = start + 9; group < start + 24; group += 5) if (!this.isDigits(group, 4)) return false;
    return this.isDigits(start, 8) && this.isDigits(start + 24, 12);
  }

  private isDigits(start: number, count: number): boolean {
    const { source } = this;
    for (let at = start; at < start + count; at++) if (digitValues[source[at]!] === notADigit) return false;
    return true;
  }
}
