import { frequentWords, punctuation, words } from './packed-words';

/**
 * How the data and metadata of an event are stored: a version byte, the metadata, `end`, and the data. A text is split at its
 * quotes, and every part becomes a code, most of them of one byte. Joining the parts gives exactly the same text, also if it is not JSON
 * (ADR 61). A change of what a code means needs another version.
 */
export const formatVersion = 1;

export const codes = {
  end: 0x00,
  /** 16 bytes: a lowercase UUID. */
  uuid: 0x01,
  /** 32 bytes: 64 lowercase hexadecimal digits. */
  hash: 0x02,
  /** Six bytes: milliseconds since 1970, as `Date.toISOString` writes them. */
  time: 0x03,
  /** The next part follows without a quote. */
  glue: 0x04,
  /** A length of one byte, then UTF-8. */
  text: 0x05,
  /** One byte: the index of a word after the frequent ones. */
  word: 0x06,
  /** Three parts: a comma, a word as above, a colon. */
  field: 0x07,
  /** A length of four bytes, then UTF-8. */
  longText: 0x08,
  /**
   * A value of 3 to 64 bytes that occurred before in the event. The first is the name of its stream without the category, the second
   * the first 36 bytes of that.
   */
  reference: 0x10,
  /** UTF-8 of up to 31 bytes. */
  shortText: 0x30,
  punctuation: 0x50,
  frequentWord: 0x70,
  /** Three parts: a comma, one of the frequent words, a colon. */
  frequentField: 0xb8,
} as const;

export const maxReferences = codes.shortText - codes.reference;
export const maxShortText = codes.punctuation - codes.shortText - 1;
export const maxText = 255;

/** Shorter texts are not worth a reference, and longer ones hardly repeat. In bytes. */
export const [minReferenced, maxReferenced] = [3, 64];

export const uuidLength = 36;
export const hashLength = 64;
export const timeLength = 24;

const allWords: readonly string[] = [...punctuation, ...frequentWords, ...words];
if (
  allWords.some(({ length }) => length >= timeLength) ||
  punctuation.length > codes.frequentWord - codes.punctuation ||
  frequentWords.length !== codes.frequentField - codes.frequentWord ||
  words.length > 256
) {
  throw new Error('The lists of packed words do not fit into their codes');
}
