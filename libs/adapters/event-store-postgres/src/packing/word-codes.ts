import { codes } from './packed-format';
import { frequentWords, punctuation, words, writtenWords } from './packed-words';

/** A code of one byte, or of two as one number. Zero if there is none. */
export interface WordCode {
  readonly bytes: Buffer;
  readonly part: number;
  /** With a comma before it and a colon after it. */
  readonly field: number;
}

/** More than twice the number of words, so that most slots have one word or none. A power of two. */
const slots = 1024;

/** Finds the codes of words in a buffer, without a string for each. */
const table = new Array<readonly WordCode[]>(slots).fill([]);

/** The hash of no bytes. */
export const noHash = 0;

export function nextHash(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}

export function codeOf(source: Buffer, start: number, end: number, hash: number): WordCode | undefined {
  const candidates = table[slotOf(hash)]!;
  for (let index = 0; index < candidates.length; index++) {
    const { bytes } = candidates[index]!;
    if (bytes.length === end - start && hasBytesAt(source, start, bytes)) return candidates[index];
  }
  return undefined;
}

function add(word: string, part: number, field: number): void {
  const bytes = Buffer.from(word);
  const slot = slotOf(bytes.reduce(nextHash, noHash));
  table[slot] = [...table[slot]!, { bytes, part, field }];
}

function hasBytesAt(source: Buffer, start: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index++) if (source[start + index] !== bytes[index]) return false;
  return true;
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 10) ^ (hash >>> 20)) & (slots - 1);
}

for (const [index, text] of punctuation.entries()) add(text, codes.punctuation + index, 0);
for (const [index, word] of frequentWords.entries()) add(word, codes.frequentWord + index, codes.frequentField + index);
for (const [index, word] of words.slice(0, writtenWords).entries()) {
  add(word, (codes.word << 8) | index, (codes.field << 8) | index);
}
