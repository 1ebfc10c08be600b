import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EventPacker, type EventTexts } from './pack-event';
import { frequentWords, punctuation, words, writtenWords } from './packed-words';
import { EventUnpacker, UnknownPacking } from './unpack-event';

interface StoredTexts extends EventTexts {
  readonly stream: string;
}

const root = resolve(__dirname, '../../../../..');
const packer = new EventPacker();
const unpacker = new EventUnpacker();
const packedHex = ({ stream, ...texts }: StoredTexts): string => packer.pack(stream, texts).toString('hex');

function expectRestored(event: StoredTexts): void {
  const { data, metadata } = unpacker.unpack(event.stream, packedHex(event));
  expect({ data, metadata }).toEqual({ data: event.data, metadata: event.metadata });
}

function recordedLog(release: string): readonly StoredTexts[] {
  const lines = readFileSync(join(root, `tools/recorded-logs/${release}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as StoredTexts);
}

/** Without lone surrogates, which have no UTF-8. */
const unicode = fc.string({ unit: 'binary', maxLength: 100 });
const uuid = fc.uuid();
const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const isoTime = fc
  .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((time) => time.toISOString());

/** What has a shorter form, and what only resembles it. */
const value = fc.oneof(
  ...[uuid, digits(64), isoTime, unicode, fc.constantFrom(...punctuation, ...frequentWords, ...words)],
  ...[digits(32), digits(63), digits(65), digits(36), fc.nat().map(String)],
  uuid.map((id) => id.toUpperCase()),
  uuid.map((id) => id.replace('-', 'a')),
  uuid.map((id) => `${id.slice(0, -1)}é`),
  uuid.map((id) => `${id.slice(0, 35)}\u0660`),
  digits(64).map((hash) => hash.toUpperCase()),
  digits(63).map((hash) => `${hash}g`),
  isoTime.map((time) => time.replace('Z', 'z')),
  isoTime.map((time) => time.replace('T', ' ')),
  isoTime.map((time) => `+${time.slice(0, 23)}`),
  fc.constantFrom(
    ...['2026-02-30T00:00:00.000Z', '2026-13-01T00:00:00.000Z', '2026-01-01T24:00:00.000Z', '2026-01-01T00:00:60.000Z'],
    ...['+010000-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z'],
    ...[
      '1970-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
      '2026-01-01T00:00:00.0000',
      '2026-01-01T00:00:00+00:00',
    ],
  ),
  fc.tuple(uuid, unicode).map(([id, text]) => `${id}${text}`),
  fc.tuple(unicode, uuid).map(([text, id]) => `${text}${id}`),
  fc.tuple(uuid, uuid).map(([one, other]) => `${one}-${other}`),
);

/** Few different values, so that they repeat, between quotes and what is usual around them. */
const text = fc
  .tuple(fc.array(value, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat()), fc.nat({ max: 60 }))
  .map(([values, numbers, length]) => {
    const parts = Array.from({ length }, () => {
      const number = numbers.next().value;
      const part = values[number % values.length]!;
      return [part, `,"${part}":`, `"${part}"`, `,"amount":"${part}`, '"', `\\"${part}`][number % 6]!;
    });
    return parts.join(['"', '', ',"fee":"'][length % 3]);
  });
const json = fc.jsonValue({ maxDepth: 4 }).map((object) => JSON.stringify(object));
const anyText = fc.oneof(text, json, unicode);
const stream = fc.oneof(
  ...[unicode, uuid.map((id) => `operation-${id}`), uuid.map((id) => `account-${id}-sandbox`)],
  fc.constantFrom('', '-', 'a-', 'operators-all', 'product-virtual-usd'),
);

describe('A packed event', () => {
  it('is restored exactly, with any texts', () => {
    fc.assert(
      fc.property(stream, anyText, anyText, (name, data, metadata) => expectRestored({ stream: name, data, metadata })),
      {
        numRuns: 300,
      },
    );
  });

  it('is restored if it contains the ids of its stream', () => {
    fc.assert(
      fc.property(
        uuid,
        fc.constantFrom('operation-?', 'account-?-sandbox', '?', 'a-b-?-'),
        anyText,
        (id, name, text) => {
          const nameOf = name.replace('?', id);
          const data = JSON.stringify({ id, company: id.slice(1), account: `${id}-sandbox`, nameOf, text, again: id });
          expectRestored({ stream: nameOf, data, metadata: data });
        },
      ),
    );
  });

  it('may be huge, and does not need the memory afterwards', () => {
    for (const length of [100, 20_000, 3_000_000]) {
      const sealed = '日本"é'.repeat(length / 5);
      expectRestored({
        stream: 'holders-1',
        data: JSON.stringify({ sealed, other: 'x'.repeat(length) }),
        metadata: '{}',
      });
      expectRestored({ stream: 'holders-1', data: '{"a":1}', metadata: '"'.repeat(length) });
    }
  });

  it.each(['0.1.0', 'unreleased'])('takes less than 40 percent of the texts in the log of release %s', (release) => {
    let [texts, bytes] = [0, 0];
    for (const event of recordedLog(release)) {
      expectRestored(event);
      texts += event.data.length + event.metadata.length;
      bytes += packer.pack(event.stream, event).length;
    }
    expect(bytes / texts).toBeLessThan(0.4);
  });
});

/**
 * Bytes that were stored once, so this file is never changed, only extended: every word with its code, and events of the recorded
 * logs. `packedHex` returned them.
 */
const stored = JSON.parse(readFileSync(join(__dirname, 'stored-bytes.json'), 'utf8')) as readonly (StoredTexts & {
  readonly packed: string;
})[];

describe('Stored bytes', () => {
  it.each(stored)('stay readable: $stream', ({ stream, data, metadata, packed }) => {
    expect(unpacker.unpack(stream, packed)).toEqual({ data, metadata });
  });

  it('include every word that this release writes', () => {
    const written = [...punctuation, ...frequentWords, ...words.slice(0, writtenWords)];
    const parts = new Set(stored.flatMap(({ data }) => data.split('"')));
    // Otherwise a later change of its code would not be noticed: add an event with it to the file.
    expect(written.filter((word) => !parts.has(word))).toEqual([]);
    expect(new Set(written).size).toBe(written.length);
  });
});

describe('Bytes that cannot be unpacked', () => {
  const problemOf = (hex: string, stream = 'a-1'): string => {
    try {
      unpacker.unpack(stream, hex);
      return '';
    } catch (error) {
      if (error instanceof UnknownPacking) return error.message;
      throw error;
    }
  };

  it.each([
    ['of a later version', '02300030', 'packed format 2'],
    ['with a word that is unknown to this release', '0106ff0030', 'unknown packed word'],
    ['with a field that is unknown to this release', '0107ff0030', 'unknown packed word'],
    ['that are empty', '', 'damaged bytes'],
    ['that are no digits', '01zz', 'damaged bytes'],
    ['of an unknown code', '010f0030', 'damaged bytes'],
    ['of an unknown punctuation', '016f0030', 'damaged bytes'],
    ['with a reference to nothing', '012f0030', 'damaged bytes'],
    ['without data', '0130', 'damaged bytes'],
    ['with a third text', '0130003000', 'damaged bytes'],
    ['that end within a UUID', '01010203', 'damaged bytes'],
    ['that end within a text', '01054041', 'damaged bytes'],
    ['that end within a long text', '0108ffffffff41', 'damaged bytes'],
  ])('%s have an error that names the problem', (_, hex, problem) => {
    expect(problemOf(hex)).toBe(problem);
    // `JSON.parse` shows only the beginning of longer texts.
    expect(problem.length).toBeLessThanOrEqual(20);
  });

  it('never cause another error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), stream, (bytes, name) => {
        problemOf(`01${Buffer.from(bytes).toString('hex')}`, name);
      }),
      { numRuns: 300 },
    );
    const event = recordedLog('unreleased').at(-1)!;
    const hex = packedHex(event);
    for (let length = 0; length < hex.length; length++) problemOf(hex.slice(0, length), event.stream);
  });
});
